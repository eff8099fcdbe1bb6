-- Sets the passwords of both logins from the environment of psql, so that they are in no argument that other users of the machine can see.
\set owner_password `echo "$OWNER_PASSWORD"`
\set service_password `echo "$SERVICE_PASSWORD"`
alter role malipo_owner password :'owner_password';
alter role malipo_service password :'service_password';
