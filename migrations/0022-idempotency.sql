-- Tables of server/accounts/idempotency.

-- The answers to requests that carried an idempotency key, each stored by the transaction that made the object. The key is stored only as a
-- part of a hash, with its caller, environment and operation.
create table idempotent_answers (
  key_hash bytea primary key,
  -- The merchant of the API key, or the signed-in person.
  caller_id uuid not null,
  operation text not null,
  -- Null after the payer that the request named was erased: a hash of a phone number can be guessed.
  request_hash bytea,
  -- Null only inside the transaction that has claimed the key.
  status smallint,
  object_id text,
  -- The bytes of the answer; null if it contained a secret, or was erased with a payer.
  body text,
  created_at timestamptz(3) not null default clock_now(),
  constraint idempotent_answers_can_be_repeated check (status is null or body is not null or object_id is not null),
  constraint idempotent_answers_compared check (request_hash is not null or (body is null and object_id is not null)),
  constraint idempotent_answers_successful check (status between 200 and 299)
);
create index idempotent_answers_old on idempotent_answers (created_at);
create index idempotent_answers_by_caller on idempotent_answers (caller_id);
