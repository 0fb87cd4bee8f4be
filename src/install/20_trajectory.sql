CREATE DOMAIN trajectory AS text;
