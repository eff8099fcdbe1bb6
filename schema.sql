-- The schema that all migrations make together, to read: nothing runs this file. Why things are as they are stands in migrations/.
-- Written by `node scripts/write-schema.ts`; a test compares it with a database. Lists after a table are what the service may do with it.

create table api_keys (
  id uuid not null,
  app_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  key_name text not null,
  scopes text[] not null,
  key_hash bytea not null,
  pepper_id text not null,
  last4 text not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  allowed_ips text[] not null default '{}'::text[],
  rolled_at timestamptz(3),
  replaces uuid,
  payouts_from timestamptz,
  created_by uuid not null,
  waiting_scopes text[] not null default '{}'::text[],
  granted_by uuid,
  granted_scopes text[] not null default '{}'::text[],
  unkept_since timestamptz(3),
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_hash_unique UNIQUE (key_hash),
  constraint api_keys_replaced_once UNIQUE (replaces),
  constraint api_keys_allowed_ips_bounded CHECK ((cardinality(allowed_ips) <= 50)),
  constraint api_keys_rolled_end CHECK (((rolled_at IS NULL) OR (expires_at IS NOT NULL))),
  constraint api_keys_scopes_known CHECK (((scopes <@ ARRAY['profile:read', 'balance:read', 'pages:read', 'pages:write', 'payments:read', 'payments:write', 'transactions:read', 'payouts:read', 'payouts:write']) AND (cardinality(scopes) > 0))),
  constraint api_keys_waiting_scopes_are_its_own CHECK ((waiting_scopes <@ scopes)),
  constraint api_keys_app FOREIGN KEY (app_id, merchant_id, environment) REFERENCES apps(id, merchant_id, environment),
  constraint api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint api_keys_replaces FOREIGN KEY (replaces) REFERENCES api_keys(id)
);
CREATE INDEX api_keys_by_app ON api_keys (app_id, created_at DESC, id DESC);
CREATE TRIGGER api_keys_seal_delete AFTER DELETE ON api_keys REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER api_keys_seal_insert AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION seal_rows();
CREATE TRIGGER api_keys_seal_update AFTER UPDATE OF id, app_id, merchant_id, environment, key_name, scopes, key_hash, pepper_id, last4, expires_at, revoked_at, created_at, allowed_ips, rolled_at, replaces, payouts_from, created_by, waiting_scopes, granted_by, granted_scopes, unkept_since ON api_keys FOR EACH ROW WHEN ((((((((((((((((((((((old.id IS DISTINCT FROM new.id) OR (old.app_id IS DISTINCT FROM new.app_id)) OR (old.merchant_id IS DISTINCT FROM new.merchant_id)) OR (old.environment IS DISTINCT FROM new.environment)) OR (old.key_name IS DISTINCT FROM new.key_name)) OR (old.scopes IS DISTINCT FROM new.scopes)) OR (old.key_hash IS DISTINCT FROM new.key_hash)) OR (old.pepper_id IS DISTINCT FROM new.pepper_id)) OR (old.last4 IS DISTINCT FROM new.last4)) OR (old.expires_at IS DISTINCT FROM new.expires_at)) OR (old.revoked_at IS DISTINCT FROM new.revoked_at)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.allowed_ips IS DISTINCT FROM new.allowed_ips)) OR (old.rolled_at IS DISTINCT FROM new.rolled_at)) OR (old.replaces IS DISTINCT FROM new.replaces)) OR (old.payouts_from IS DISTINCT FROM new.payouts_from)) OR (old.created_by IS DISTINCT FROM new.created_by)) OR (old.waiting_scopes IS DISTINCT FROM new.waiting_scopes)) OR (old.granted_by IS DISTINCT FROM new.granted_by)) OR (old.granted_scopes IS DISTINCT FROM new.granted_scopes)) OR (old.unkept_since IS DISTINCT FROM new.unkept_since))) EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table api_request_places (
  merchant_id uuid not null,
  used bigint not null default 0,
  constraint api_request_places_pkey PRIMARY KEY (merchant_id),
  constraint api_request_places_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
-- malipo_service: delete, insert, select, update

create table api_requests (
  merchant_id uuid not null,
  place integer not null,
  id uuid not null,
  environment text not null,
  app_id uuid not null,
  key_id uuid not null,
  method text not null,
  route text not null,
  status smallint not null,
  error_code text,
  duration_ms integer not null,
  request_id text not null,
  requested_at timestamptz(3) not null,
  constraint api_requests_pkey PRIMARY KEY (merchant_id, place),
  constraint api_requests_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint api_requests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
) with (fillfactor=70);
CREATE INDEX api_requests_by_time ON api_requests (merchant_id, environment, requested_at DESC, id DESC);
CREATE INDEX api_requests_old ON api_requests (requested_at);
CREATE TRIGGER api_requests_tell_insert AFTER INSERT ON api_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('api_requests');
CREATE TRIGGER api_requests_tell_update AFTER UPDATE ON api_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('api_requests');
-- malipo_service: delete, insert, select, update

create table approval_requests (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  kind text not null,
  amount bigint,
  approvers smallint not null,
  status text not null default 'waiting',
  requested_by text not null,
  requested_by_user uuid not null,
  new_above bigint,
  new_approvers smallint,
  reason text,
  decided_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default clock_now(),
  version integer not null default 1,
  exceeded text,
  exceeded_sum bigint,
  exceeded_above bigint,
  new_above_total bigint,
  member_id uuid,
  new_role text,
  token_hash bytea,
  constraint approval_requests_pkey PRIMARY KEY (home, id),
  constraint approval_requests_by UNIQUE (home, id, requested_by_user),
  constraint approval_requests_amount_of_money CHECK (((kind = ANY (ARRAY['rule_change', 'member_role'])) = (amount IS NULL))),
  constraint approval_requests_approvers_known CHECK ((approvers = ANY (ARRAY[1, 2]))),
  constraint approval_requests_decided_has_time CHECK (((status = 'waiting') = (decided_at IS NULL))),
  constraint approval_requests_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint approval_requests_exceeded_complete CHECK ((((exceeded IS NULL) = (exceeded_sum IS NULL)) AND ((exceeded IS NULL) = (exceeded_above IS NULL)) AND (exceeded_sum > exceeded_above))),
  constraint approval_requests_exceeded_known CHECK ((exceeded = ANY (ARRAY['amount', 'recipient_day', 'wallet_day']))),
  constraint approval_requests_kind_known CHECK ((kind = ANY (ARRAY['payout', 'refund', 'payout_batch', 'rule_change', 'member_role']))),
  constraint approval_requests_new_role_known CHECK ((new_role = ANY (ARRAY['owner', 'admin', 'approver', 'accountant', 'cashier', 'developer']))),
  constraint approval_requests_new_rule_complete CHECK ((((new_above IS NULL) = (new_approvers IS NULL)) AND ((new_above IS NULL) OR ((kind = 'rule_change') AND (new_above >= 0) AND (new_approvers = ANY (ARRAY[1, 2])))))),
  constraint approval_requests_new_total_of_rule CHECK (((new_above_total IS NULL) OR ((new_above IS NOT NULL) AND (new_above_total >= 0)))),
  constraint approval_requests_role_complete CHECK ((((kind = 'member_role') = (member_id IS NOT NULL)) AND ((member_id IS NULL) = (new_role IS NULL)))),
  constraint approval_requests_status_known CHECK ((status = ANY (ARRAY['waiting', 'approved', 'refused', 'expired', 'withdrawn']))),
  constraint approval_requests_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint approval_requests_requested_by_user_fkey FOREIGN KEY (requested_by_user) REFERENCES users(id)
);
CREATE INDEX approval_requests_by_member ON approval_requests (home, member_id, created_at) WHERE (member_id IS NOT NULL);
CREATE INDEX approval_requests_by_person ON approval_requests (requested_by_user) WHERE (status = 'waiting');
CREATE UNIQUE INDEX approval_requests_one_rule_change ON approval_requests (home, merchant_id, environment) WHERE ((kind = 'rule_change') AND (status = 'waiting'));
CREATE INDEX approval_requests_to_end ON approval_requests (expires_at) WHERE (status = 'waiting');
CREATE INDEX approval_requests_waiting ON approval_requests (home, merchant_id, environment, created_at DESC, id DESC) WHERE (status = 'waiting');
CREATE TRIGGER approval_requests_seal_delete AFTER DELETE ON approval_requests REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_requests_seal_insert AFTER INSERT ON approval_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_requests_seal_update AFTER UPDATE ON approval_requests REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_requests_tell_insert AFTER INSERT ON approval_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('approvals');
CREATE TRIGGER approval_requests_tell_update AFTER UPDATE ON approval_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('approvals');
-- malipo_service: delete, insert, select, update

create table approval_rules (
  home smallint not null,
  merchant_id uuid not null,
  environment text not null,
  above bigint not null,
  approvers smallint not null,
  set_by uuid not null,
  set_at timestamptz(3) not null default clock_now(),
  above_total bigint,
  asks_total boolean not null default true,
  total_asked_at timestamptz(3),
  constraint approval_rules_pkey PRIMARY KEY (home, merchant_id, environment),
  constraint approval_rules_above_not_negative CHECK ((above >= 0)),
  constraint approval_rules_above_total_not_negative CHECK ((above_total >= 0)),
  constraint approval_rules_approvers_known CHECK ((approvers = ANY (ARRAY[1, 2]))),
  constraint approval_rules_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint approval_rules_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint approval_rules_set_by_fkey FOREIGN KEY (set_by) REFERENCES users(id)
);
CREATE TRIGGER approval_rules_seal_delete AFTER DELETE ON approval_rules REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_rules_seal_insert AFTER INSERT ON approval_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_rules_seal_update AFTER UPDATE ON approval_rules REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_rules_tell_insert AFTER INSERT ON approval_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('approvals');
CREATE TRIGGER approval_rules_tell_update AFTER UPDATE ON approval_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('approvals');
-- malipo_service: delete, insert, select, update

create table approval_votes (
  home smallint not null,
  request_id uuid not null,
  requested_by_user uuid not null,
  user_id uuid not null,
  at timestamptz(3) not null default clock_now(),
  constraint approval_votes_pkey PRIMARY KEY (home, request_id, user_id),
  constraint approval_votes_by_others CHECK ((user_id <> requested_by_user)),
  constraint approval_votes_request FOREIGN KEY (home, request_id, requested_by_user) REFERENCES approval_requests(home, id, requested_by_user),
  constraint approval_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE TRIGGER approval_votes_seal_delete AFTER DELETE ON approval_votes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_votes_seal_insert AFTER INSERT ON approval_votes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_votes_seal_update AFTER UPDATE ON approval_votes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER approval_votes_tell_insert AFTER INSERT ON approval_votes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_votes();
-- malipo_service: delete, insert, select, update

create table apps (
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  name text not null,
  description text,
  created_at timestamptz(3) not null default clock_now(),
  deleted_at timestamptz(3),
  constraint apps_pkey PRIMARY KEY (id),
  constraint apps_owner_unique UNIQUE (id, merchant_id, environment),
  constraint apps_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint apps_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX apps_by_merchant ON apps (merchant_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE TRIGGER apps_seal_delete AFTER DELETE ON apps REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER apps_seal_insert AFTER INSERT ON apps REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER apps_seal_update AFTER UPDATE ON apps REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table audit_head (
  only_row boolean not null default true,
  seq bigint not null,
  previous_hash bytea not null,
  hash bytea not null,
  keyed_after bigint not null default 0,
  keyed_after_hash bytea not null default sha256('\x6d616c69706f206175646974206c6f67'::bytea),
  keyed_after_mac text,
  constraint audit_head_pkey PRIMARY KEY (only_row),
  constraint audit_head_is_one CHECK (only_row),
  constraint audit_head_keyed_after_not_later CHECK (((keyed_after >= 0) AND (keyed_after <= seq)))
);
-- malipo_service: select, update

create table audit_log (
  seq bigint not null,
  at timestamptz(3) not null,
  actor text not null,
  action text not null,
  object text not null,
  before jsonb,
  after jsonb,
  request_id text not null,
  ip text,
  merchant_id uuid,
  previous_hash bytea not null,
  hash bytea not null,
  mac text,
  constraint audit_log_pkey PRIMARY KEY (seq),
  constraint audit_log_one_successor UNIQUE (previous_hash),
  constraint audit_log_hash_length CHECK (((octet_length(hash) = 32) AND (octet_length(previous_hash) = 32))),
  constraint audit_log_named CHECK (((actor <> '') AND (action <> '') AND (object <> '') AND (request_id <> '')))
);
CREATE INDEX audit_log_by_action ON audit_log (action, seq DESC);
CREATE INDEX audit_log_by_actor ON audit_log (actor, seq DESC);
CREATE INDEX audit_log_by_merchant ON audit_log (merchant_id, seq DESC) WHERE (merchant_id IS NOT NULL);
CREATE INDEX audit_log_by_object ON audit_log (object, seq DESC);
CREATE INDEX audit_log_by_time ON audit_log (at, seq);
CREATE TRIGGER audit_log_tell_insert AFTER INSERT ON audit_log REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_merchants('activity');
-- malipo_service: insert, select

create table book_checks (
  only_row boolean not null default true,
  checked_at timestamptz(3) not null,
  duration_ms integer not null,
  violations jsonb not null,
  clean_at timestamptz(3),
  constraint book_checks_pkey PRIMARY KEY (only_row),
  constraint book_checks_is_one CHECK (only_row)
);
-- malipo_service: delete, insert, select, update

create table breaks (
  home smallint not null,
  id uuid not null,
  payment_id uuid,
  kind text not null,
  details jsonb not null default '{}'::jsonb,
  opened_at timestamptz(3) not null default clock_now(),
  resolved_at timestamptz(3),
  environment text not null,
  payout_id uuid,
  provider text,
  provider_reference text collate "C",
  proposal text,
  proposal_note text,
  proposed_by text,
  proposed_at timestamptz(3),
  resolution text,
  resolved_by text,
  proposal_parameters jsonb,
  payer_phone text,
  constraint breaks_pkey PRIMARY KEY (home, id),
  constraint breaks_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint breaks_kind_known CHECK ((kind = ANY (ARRAY['amount_differs', 'charge_unknown', 'reference_conflict', 'payout_amount_differs', 'payout_unknown', 'payout_contradicts', 'payout_reference_conflict', 'missing_at_provider', 'unknown_at_provider', 'settled_differs', 'fee_differs', 'balance_differs']))) NOT VALID,
  constraint breaks_names_its_subject CHECK (((num_nonnulls(payment_id, payout_id) = 1) OR ((num_nonnulls(payment_id, payout_id) = 0) AND (provider IS NOT NULL) AND (provider_reference IS NOT NULL)))),
  constraint breaks_proposal_is_whole CHECK ((num_nonnulls(proposal, proposal_note, proposed_by, proposed_at) = ANY (ARRAY[0, 4]))),
  constraint breaks_resolution_is_whole CHECK ((num_nonnulls(resolution, resolved_by, resolved_at) = ANY (ARRAY[0, 3]))),
  constraint breaks_two_operators CHECK ((resolved_by <> proposed_by)),
  constraint breaks_payment FOREIGN KEY (home, payment_id) REFERENCES payments(home, id),
  constraint breaks_payout FOREIGN KEY (home, payout_id) REFERENCES payouts(home, id)
);
CREATE INDEX breaks_by_id ON breaks (id DESC);
CREATE INDEX breaks_by_our_reference ON breaks (((details ->> 'our_reference_there'))) WHERE (kind = 'unknown_at_provider');
CREATE INDEX breaks_by_payment ON breaks (home, payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX breaks_by_payout ON breaks (home, payout_id) WHERE (payout_id IS NOT NULL);
CREATE INDEX breaks_by_record ON breaks (provider, environment, provider_reference) WHERE (provider_reference IS NOT NULL);
CREATE UNIQUE INDEX breaks_one_open_per_payment ON breaks (home, payment_id, kind) WHERE ((resolved_at IS NULL) AND (payment_id IS NOT NULL));
CREATE UNIQUE INDEX breaks_one_open_per_payout ON breaks (home, payout_id, kind) WHERE ((resolved_at IS NULL) AND (payout_id IS NOT NULL));
CREATE UNIQUE INDEX breaks_one_open_per_record ON breaks (home, provider, environment, provider_reference, kind) WHERE ((resolved_at IS NULL) AND (payment_id IS NULL) AND (payout_id IS NULL));
CREATE INDEX breaks_open ON breaks (id DESC) WHERE (resolved_at IS NULL);
CREATE TRIGGER breaks_seal_delete AFTER DELETE ON breaks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER breaks_seal_insert AFTER INSERT ON breaks FOR EACH ROW EXECUTE FUNCTION seal_rows();
CREATE TRIGGER breaks_seal_update AFTER UPDATE ON breaks REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER breaks_tell_insert AFTER INSERT ON breaks FOR EACH ROW EXECUTE FUNCTION tell_break();
CREATE TRIGGER breaks_tell_update AFTER UPDATE ON breaks FOR EACH ROW EXECUTE FUNCTION tell_break();
-- malipo_service: delete, insert, select, update

create table businesses (
  id uuid not null,
  legal_name text not null,
  trading_name text,
  business_type text not null,
  registration_number text not null,
  tax_identification_number text,
  country text not null,
  address text not null,
  city text not null,
  region text not null,
  website text,
  phone text not null,
  email text not null,
  representative_role text not null,
  representative_student_id text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint businesses_pkey PRIMARY KEY (id),
  constraint businesses_country_is_tanzania CHECK ((country = 'TZ')),
  constraint businesses_registered_unless_sole_proprietor CHECK (((registration_number <> '') OR (business_type = 'sole_proprietor'))),
  constraint businesses_type_known CHECK ((business_type = ANY (ARRAY['sole_proprietor', 'company', 'partnership', 'ngo', 'other']))),
  constraint businesses_website_is_https CHECK ((website ~~ 'https://%')),
  constraint businesses_id_fkey FOREIGN KEY (id) REFERENCES merchants(id)
);
CREATE INDEX businesses_by_email_beginning ON businesses (lower(email) text_pattern_ops);
CREATE INDEX businesses_by_folded_name ON businesses (fold_text(legal_name) text_pattern_ops);
CREATE INDEX businesses_by_phone ON businesses (phone);
CREATE INDEX businesses_by_registration_number ON businesses (registration_number) WHERE (registration_number <> '');
CREATE INDEX businesses_by_tax_number ON businesses (tax_identification_number) WHERE (tax_identification_number IS NOT NULL);
CREATE INDEX businesses_by_time ON businesses (created_at DESC, id DESC);
CREATE TRIGGER businesses_are_business_merchants BEFORE INSERT ON businesses FOR EACH ROW EXECUTE FUNCTION businesses_are_business_merchants();
CREATE TRIGGER businesses_seal_delete AFTER DELETE ON businesses REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER businesses_seal_insert AFTER INSERT ON businesses REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER businesses_seal_update AFTER UPDATE ON businesses REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER businesses_tell_insert AFTER INSERT ON businesses REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_accounts('account');
CREATE TRIGGER businesses_tell_update AFTER UPDATE ON businesses REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_accounts('account');
-- malipo_service: insert, select, update

create table check_cursors (
  pass text not null,
  walked text not null,
  home smallint not null,
  last_id text not null,
  pass_started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  lease_until timestamptz(3),
  step_rows integer,
  findings jsonb not null default '[]'::jsonb,
  earlier_findings jsonb not null default '[]'::jsonb,
  constraint check_cursors_pkey PRIMARY KEY (pass, walked),
  constraint check_cursors_pass_known CHECK ((pass = ANY (ARRAY['whole', 'turn']))),
  constraint check_cursors_step_rows_positive CHECK ((step_rows > 0))
);
-- malipo_service: delete, insert, select, update

create table checkout_paces (
  home smallint not null,
  subject uuid not null,
  minute timestamptz(3) not null,
  started integer not null,
  paid_minute timestamptz(3),
  paid integer not null default 0,
  best integer not null default 0,
  best_at timestamptz(3),
  confirming_since timestamptz(3),
  confirming_at timestamptz(3),
  constraint checkout_paces_pkey PRIMARY KEY (home, subject)
) with (fillfactor=70);
CREATE INDEX checkout_paces_confirming ON checkout_paces (confirming_at) WHERE (confirming_at IS NOT NULL);
-- malipo_service: delete, insert, select, update

create table clock_marks (
  is_only boolean not null default true,
  seen_at timestamptz(3) not null default clock_now(),
  constraint clock_marks_pkey PRIMARY KEY (is_only),
  constraint clock_marks_one_row CHECK (is_only)
);
-- malipo_service: select, update

create table closed_day_homes (
  day date not null,
  home smallint not null,
  transfers bigint not null,
  digest bytea not null,
  constraint closed_day_homes_pkey PRIMARY KEY (day, home),
  constraint closed_day_homes_digest_length CHECK ((octet_length(digest) = 32)),
  constraint closed_day_homes_have_transfers CHECK ((transfers > 0)),
  constraint closed_day_homes_of_a_day FOREIGN KEY (day) REFERENCES closed_days(day)
);
-- malipo_service: insert, select

create table closed_days (
  day date not null,
  transfers bigint not null,
  digest bytea not null,
  closed_at timestamptz(3) not null,
  rechecked_at timestamptz(3),
  version smallint not null default 1,
  constraint closed_days_pkey PRIMARY KEY (day),
  constraint closed_days_digest_length CHECK ((octet_length(digest) = 32)),
  constraint closed_days_version_known CHECK ((version = ANY (ARRAY[1, 2])))
);
-- malipo_service: insert, select, update (rechecked_at)

create table customer_counts (
  home smallint not null,
  merchant_id uuid not null,
  environment text not null,
  wallet_seq bigint not null default 0,
  receivable_seq bigint not null default 0,
  is_behind boolean not null default false,
  constraint customer_counts_pkey PRIMARY KEY (home, merchant_id, environment),
  constraint customer_counts_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint customer_counts_forward CHECK (((wallet_seq >= 0) AND (receivable_seq >= 0))),
  constraint customer_counts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX customer_counts_behind ON customer_counts (home, merchant_id, environment) WHERE is_behind;
CREATE TRIGGER customer_counts_seal_delete AFTER DELETE ON customer_counts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER customer_counts_seal_insert AFTER INSERT ON customer_counts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER customer_counts_seal_update AFTER UPDATE ON customer_counts REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table customers (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  phone_number text not null,
  name text,
  network text,
  paid_count bigint not null,
  paid_total bigint not null,
  refunded_total bigint not null,
  first_paid_at timestamptz(3) not null,
  last_paid_at timestamptz(3) not null,
  constraint customers_pkey PRIMARY KEY (home, id),
  constraint customers_one_per_number UNIQUE (home, merchant_id, environment, phone_number),
  constraint customers_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint customers_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint customers_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX customers_by_merchant ON customers (home, merchant_id, environment, last_paid_at DESC, id DESC);
CREATE INDEX customers_by_phone ON customers (phone_number);
-- malipo_service: delete, insert, select, update

create table document_folder (
  is_only boolean not null default true,
  id uuid not null,
  constraint document_folder_pkey PRIMARY KEY (is_only),
  constraint document_folder_one_row CHECK (is_only)
);
-- malipo_service: select, insert (id)

create table document_views (
  id uuid not null,
  document_id uuid not null,
  session_id uuid not null,
  expires_at timestamptz(3) not null,
  opened_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  constraint document_views_pkey PRIMARY KEY (id),
  constraint document_views_document_id_fkey FOREIGN KEY (document_id) REFERENCES documents(id),
  constraint document_views_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id)
);
CREATE INDEX document_views_by_document ON document_views (document_id, created_at DESC);
CREATE INDEX document_views_by_session ON document_views (session_id);
-- malipo_service: delete, insert, select, update

create table documents (
  id uuid not null,
  merchant_id uuid not null,
  purpose text not null,
  content_type text not null,
  state text not null default 'awaiting',
  address_expires_at timestamptz(3) not null,
  upload_id uuid,
  upload_until timestamptz(3),
  size_bytes integer,
  sha256 bytea,
  file_name text,
  review_content_type text,
  review_sha256 bytea,
  refused_code text,
  refused_reason text,
  created_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  constraint documents_pkey PRIMARY KEY (id),
  constraint documents_pin_unique UNIQUE (id, merchant_id, purpose, sha256),
  constraint documents_finished_has_time CHECK (((state = 'awaiting') = (finished_at IS NULL))),
  constraint documents_hash_length CHECK (((octet_length(sha256) = 32) AND (octet_length(review_sha256) = 32))),
  constraint documents_purpose_known CHECK ((purpose = ANY (ARRAY['registration_certificate', 'tax_certificate', 'business_license', 'proof_of_address', 'national_id', 'student_id_card', 'selfie']))),
  constraint documents_refused_says_why CHECK ((((state = 'refused') = (refused_code IS NOT NULL)) AND ((refused_code IS NULL) = (refused_reason IS NULL)))),
  constraint documents_review_copy CHECK ((((review_sha256 IS NULL) = (review_content_type IS NULL)) AND ((review_sha256 IS NULL) OR (state = 'uploaded')))),
  constraint documents_size CHECK ((size_bytes > 0)),
  constraint documents_state_known CHECK ((state = ANY (ARRAY['awaiting', 'uploaded', 'refused']))),
  constraint documents_type_known CHECK ((content_type = ANY (ARRAY['image/jpeg', 'image/png', 'application/pdf']))),
  constraint documents_uploaded_is_pinned CHECK (((state = 'uploaded') = (sha256 IS NOT NULL))),
  constraint documents_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX documents_by_hash ON documents (sha256) WHERE (sha256 IS NOT NULL);
CREATE INDEX documents_finished ON documents (merchant_id, purpose, finished_at DESC) WHERE (finished_at IS NOT NULL);
CREATE TRIGGER documents_seal_delete AFTER DELETE ON documents REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER documents_seal_insert AFTER INSERT ON documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER documents_seal_update AFTER UPDATE ON documents REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER documents_stay_as_received BEFORE UPDATE ON documents FOR EACH ROW WHEN ((old.state <> 'awaiting')) EXECUTE FUNCTION documents_stay_as_received();
CREATE TRIGGER documents_tell_insert AFTER INSERT ON documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_merchants('account');
CREATE TRIGGER documents_tell_update AFTER UPDATE ON documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_merchants('account');
-- malipo_service: delete, insert, select, update

create table erasures (
  id uuid not null,
  user_id uuid,
  pseudonym text collate "C" not null,
  erased_at timestamptz(3) not null default clock_now(),
  held_until timestamptz(3),
  held_erased_at timestamptz(3),
  constraint erasures_pkey PRIMARY KEY (id),
  constraint erasures_pseudonym_unique UNIQUE (pseudonym),
  constraint erasures_held_before_erased CHECK (((held_erased_at IS NULL) OR (held_until IS NOT NULL))),
  constraint erasures_only_accounts_are_held CHECK (((held_until IS NULL) OR (user_id IS NOT NULL))),
  constraint erasures_pseudonym_names_nobody CHECK ((pseudonym ~ '^erased-[0-9a-f]{16}$')),
  constraint erasures_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX erasures_held ON erasures (held_until) WHERE ((held_until IS NOT NULL) AND (held_erased_at IS NULL));
CREATE UNIQUE INDEX erasures_one_per_account ON erasures (user_id) WHERE (user_id IS NOT NULL);
CREATE TRIGGER erasures_seal_delete AFTER DELETE ON erasures REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER erasures_seal_insert AFTER INSERT ON erasures REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER erasures_seal_update AFTER UPDATE ON erasures REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: insert, select, update

create table events (
  home smallint not null,
  id uuid not null,
  type text not null,
  merchant_id uuid not null,
  environment text not null,
  payment_id uuid,
  payout_id uuid,
  occurrence integer not null default 1,
  data json not null,
  created_at timestamptz(3) not null default clock_now(),
  constraint events_pkey PRIMARY KEY (home, id),
  constraint events_one_per_payment UNIQUE (home, payment_id, type),
  constraint events_names_its_subject CHECK ((((payment_id IS NOT NULL) = (type ~~ 'payment.%')) AND ((payout_id IS NOT NULL) = ((type ~~ 'payout.%') OR (type ~~ 'refund.%'))))),
  constraint events_type_known CHECK ((type = ANY (ARRAY['payment.completed', 'payment.failed', 'payment.voided', 'payment.expired', 'payout.completed', 'payout.failed', 'payout.reversed', 'payout.cancelled', 'refund.completed', 'refund.failed', 'payout_batch.completed', 'business.verified', 'business.rejected', 'webhook.enabled']))),
  constraint events_payment FOREIGN KEY (home, payment_id) REFERENCES payments(home, id),
  constraint events_payout FOREIGN KEY (home, payout_id) REFERENCES payouts(home, id)
);
CREATE INDEX events_by_merchant ON events (home, merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX events_by_time ON events USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');
CREATE UNIQUE INDEX events_one_per_decision ON events (home, merchant_id, environment, type, occurrence) WHERE (type ~~ 'business.%');
CREATE UNIQUE INDEX events_one_per_payout_transition ON events (home, payout_id, type, occurrence) WHERE (payout_id IS NOT NULL);
-- malipo_service: insert, select

create table idempotent_answers (
  key_hash bytea not null,
  caller_id uuid not null,
  operation text not null,
  request_hash bytea,
  status smallint,
  object_id text,
  body text,
  created_at timestamptz(3) not null default clock_now(),
  constraint idempotent_answers_pkey PRIMARY KEY (key_hash),
  constraint idempotent_answers_can_be_repeated CHECK (((status IS NULL) OR (body IS NOT NULL) OR (object_id IS NOT NULL))),
  constraint idempotent_answers_compared CHECK (((request_hash IS NOT NULL) OR ((body IS NULL) AND (object_id IS NOT NULL)))),
  constraint idempotent_answers_successful CHECK (((status >= 200) AND (status <= 299)))
);
CREATE INDEX idempotent_answers_by_caller ON idempotent_answers (caller_id);
CREATE INDEX idempotent_answers_old ON idempotent_answers (created_at);
CREATE TRIGGER idempotent_answers_seal_delete AFTER DELETE ON idempotent_answers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER idempotent_answers_seal_insert AFTER INSERT ON idempotent_answers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER idempotent_answers_seal_update AFTER UPDATE ON idempotent_answers REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table identity_papers (
  user_id uuid not null,
  sealed_national_id text not null,
  national_id_hash bytea not null,
  national_id_last4 text not null,
  date_of_birth date not null,
  updated_at timestamptz(3) not null default clock_now(),
  constraint identity_papers_pkey PRIMARY KEY (user_id),
  constraint identity_papers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX identity_papers_by_hash ON identity_papers (national_id_hash);
CREATE TRIGGER identity_papers_seal_delete AFTER DELETE ON identity_papers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER identity_papers_seal_insert AFTER INSERT ON identity_papers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER identity_papers_seal_update AFTER UPDATE ON identity_papers REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: insert, select, update

create table ledger_accounts (
  home smallint not null,
  id uuid not null,
  environment text not null,
  kind text not null,
  holder uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  currency text not null default 'TZS',
  balance bigint not null default 0,
  last_seq bigint not null default 0,
  created_at timestamptz(3) not null default clock_now(),
  owes boolean,
  constraint ledger_accounts_pkey PRIMARY KEY (home, id),
  constraint ledger_accounts_environment_unique UNIQUE (home, id, environment),
  constraint ledger_accounts_one_of_each UNIQUE (home, environment, kind, holder),
  constraint ledger_accounts_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint ledger_accounts_kind_known CHECK ((kind = ANY (ARRAY['wallet', 'payouts_reserved', 'receivable', 'provider_clearing', 'provider_fees', 'suspense', 'loss', 'unallocated', 'returns_reserved']))),
  constraint ledger_accounts_owes_its_debt CHECK ((COALESCE(owes, false) = ((kind = 'receivable') AND (balance < 0)))),
  constraint ledger_accounts_tzs_only CHECK ((currency = 'TZS')),
  constraint ledger_accounts_wallet_has_holder CHECK (((kind = ANY (ARRAY['wallet', 'payouts_reserved', 'receivable'])) = (holder <> '00000000-0000-0000-0000-000000000000'::uuid))),
  constraint receivable_not_positive CHECK (((kind <> 'receivable') OR (balance <= 0))),
  constraint reserve_not_overdrawn CHECK (((kind <> 'payouts_reserved') OR (balance >= 0))),
  constraint returns_not_overdrawn CHECK (((kind <> 'returns_reserved') OR (balance >= 0))),
  constraint wallet_not_overdrawn CHECK (((kind <> 'wallet') OR (balance >= 0)))
) with (fillfactor=50);
CREATE INDEX ledger_accounts_in_debt ON ledger_accounts (home, id) WHERE owes;
CREATE TRIGGER ledger_accounts_note_debt BEFORE UPDATE OF balance ON ledger_accounts FOR EACH ROW WHEN ((new.kind = 'receivable')) EXECUTE FUNCTION note_debt();
CREATE TRIGGER ledger_accounts_seal_delete AFTER DELETE ON ledger_accounts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER ledger_accounts_seal_insert AFTER INSERT ON ledger_accounts FOR EACH ROW EXECUTE FUNCTION seal_rows();
CREATE TRIGGER ledger_accounts_seal_update AFTER UPDATE OF home, id, environment, kind, holder, currency, created_at ON ledger_accounts FOR EACH ROW WHEN ((((((((old.home IS DISTINCT FROM new.home) OR (old.id IS DISTINCT FROM new.id)) OR (old.environment IS DISTINCT FROM new.environment)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.holder IS DISTINCT FROM new.holder)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.created_at IS DISTINCT FROM new.created_at))) EXECUTE FUNCTION seal_rows();
CREATE TRIGGER ledger_accounts_tell_update AFTER UPDATE ON ledger_accounts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_balances();
-- malipo_service: delete, insert, select, update

create table ledger_transfers (
  home smallint not null,
  id uuid not null,
  movement_id uuid not null,
  environment text not null,
  kind text not null,
  debit_account_id uuid not null,
  credit_account_id uuid not null,
  amount bigint not null,
  debit_seq bigint not null,
  credit_seq bigint not null,
  debit_balance_after bigint not null,
  credit_balance_after bigint not null,
  payment_id uuid,
  page_id uuid,
  actor text not null,
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  payout_id uuid,
  break_id uuid,
  constraint ledger_transfers_pkey PRIMARY KEY (home, id),
  constraint ledger_transfers_credit_seq_unique UNIQUE (home, credit_account_id, credit_seq),
  constraint ledger_transfers_debit_seq_unique UNIQUE (home, debit_account_id, debit_seq),
  constraint ledger_transfers_amount_positive CHECK ((amount > 0)),
  constraint ledger_transfers_break_named CHECK (((break_id IS NOT NULL) OR (kind <> ALL (ARRAY['payout_again', 'payout_again_owed', 'refund_again', 'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned', 'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited', 'credit_reversed', 'credit_reversed_owed'])))),
  constraint ledger_transfers_kind_known CHECK ((kind = ANY (ARRAY['payment', 'provider_fee', 'suspense', 'suspense_release', 'suspense_return', 'payout', 'payout_fee', 'payout_settled', 'payout_fee_settled', 'payout_provider_fee', 'payout_returned', 'payout_fee_returned', 'payout_provider_fee_returned', 'payout_reversal', 'payout_raised', 'payout_raised_owed', 'payout_lowered', 'refund', 'refund_fee', 'refund_reversal', 'refund_again', 'payout_again', 'payout_again_owed', 'receivable_repaid', 'payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned', 'unallocated_paid', 'unallocated_debited', 'unallocated_written_off', 'unallocated_found', 'unallocated_credited', 'break_debited', 'break_debited_owed', 'credit_reversed', 'credit_reversed_owed', 'return_reserved', 'return_settled', 'return_given_back', 'return_fee', 'return_brought_back', 'return_fee_brought_back', 'provider_fee_returned', 'credit_added', 'provider_fee_again']))),
  constraint ledger_transfers_payment_named CHECK (((kind <> ALL (ARRAY['payment', 'suspense'])) OR (payment_id IS NOT NULL))),
  constraint ledger_transfers_payout_named CHECK ( CASE WHEN ((kind ~~ 'payout%') OR (kind ~~ 'refund%')) THEN (payout_id IS NOT NULL) WHEN (kind ~~ 'return%') THEN true ELSE (payout_id IS NULL) END),
  constraint ledger_transfers_two_accounts CHECK ((debit_account_id <> credit_account_id)),
  constraint ledger_transfers_break FOREIGN KEY (home, break_id) REFERENCES breaks(home, id),
  constraint ledger_transfers_credit_account FOREIGN KEY (home, credit_account_id, environment) REFERENCES ledger_accounts(home, id, environment),
  constraint ledger_transfers_debit_account FOREIGN KEY (home, debit_account_id, environment) REFERENCES ledger_accounts(home, id, environment),
  constraint ledger_transfers_payment FOREIGN KEY (home, payment_id) REFERENCES payments(home, id),
  constraint ledger_transfers_payout FOREIGN KEY (home, payout_id) REFERENCES payouts(home, id)
);
CREATE INDEX ledger_transfers_by_break ON ledger_transfers (home, break_id) WHERE (break_id IS NOT NULL);
CREATE INDEX ledger_transfers_by_time ON ledger_transfers USING brin (created_at) WITH (pages_per_range='128', autosummarize='on');
CREATE UNIQUE INDEX ledger_transfers_found_once_per_break ON ledger_transfers (home, break_id) WHERE (kind = 'unallocated_found');
CREATE UNIQUE INDEX ledger_transfers_leave_suspense_once ON ledger_transfers (home, payment_id) WHERE (kind = ANY (ARRAY['suspense_release', 'suspense_return']));
CREATE UNIQUE INDEX ledger_transfers_once_per_payout_and_break ON ledger_transfers (home, payout_id, kind, break_id) NULLS NOT DISTINCT WHERE (payout_id IS NOT NULL);
CREATE UNIQUE INDEX ledger_transfers_one_credit_per_payment ON ledger_transfers (home, payment_id, kind) WHERE (kind = ANY (ARRAY['payment', 'suspense', 'provider_fee']));
CREATE INDEX ledger_transfers_put_aside ON ledger_transfers (home, environment) WHERE (kind = ANY (ARRAY['suspense', 'suspense_release', 'suspense_return']));
-- malipo_service: insert, select

create table mailed_statements (
  user_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  frequency text not null,
  first_day date not null,
  last_day date not null,
  mailed_at timestamptz(3) not null default clock_now(),
  constraint mailed_statements_pkey PRIMARY KEY (user_id, merchant_id, environment, frequency, first_day),
  constraint mailed_statements_days_in_order CHECK ((first_day <= last_day)),
  constraint mailed_statements_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint mailed_statements_frequency_known CHECK ((frequency = ANY (ARRAY['daily', 'weekly', 'monthly']))),
  constraint mailed_statements_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint mailed_statements_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX mailed_statements_by_time ON mailed_statements (mailed_at);
-- malipo_service: delete, insert, select, update

create table mailed_tokens (
  token_hash bytea not null,
  user_id uuid not null,
  purpose text not null,
  email text not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  wrong_tries integer not null default 0,
  mails integer not null default 1,
  new_phone_number text,
  constraint mailed_tokens_pkey PRIMARY KEY (token_hash),
  constraint mailed_tokens_hash_length CHECK ((octet_length(token_hash) = 32)),
  constraint mailed_tokens_new_phone_is_a_change CHECK (((new_phone_number IS NULL) OR (purpose = 'contact_change'))),
  constraint mailed_tokens_purpose_known CHECK ((purpose = ANY (ARRAY['password_reset', 'email_verification', 'contact_change']))),
  constraint mailed_tokens_tries_counted CHECK ((wrong_tries >= 0)),
  constraint mailed_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX mailed_tokens_by_end ON mailed_tokens (expires_at);
CREATE INDEX mailed_tokens_by_user ON mailed_tokens (user_id, purpose, created_at DESC);
CREATE UNIQUE INDEX mailed_tokens_one_open_contact_change ON mailed_tokens (user_id) WHERE ((purpose = 'contact_change') AND (used_at IS NULL));
CREATE TRIGGER mailed_tokens_seal_delete AFTER DELETE ON mailed_tokens REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER mailed_tokens_seal_insert AFTER INSERT ON mailed_tokens REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER mailed_tokens_seal_update AFTER UPDATE ON mailed_tokens REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table mails (
  id uuid not null,
  kind text not null,
  recipient text not null,
  sealed_content text,
  state text not null default 'due',
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) default clock_now(),
  lease_until timestamptz(3),
  last_error_code text,
  created_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  is_bulk boolean not null default false,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_content_while_due CHECK (((state = 'due') = (sealed_content IS NOT NULL))),
  constraint mails_failed_has_error CHECK (((state <> 'failed') OR (last_error_code IS NOT NULL))),
  constraint mails_finished_has_time CHECK (((state = 'due') = (finished_at IS NULL))),
  constraint mails_kind_is_a_word CHECK ((kind ~ '^[a-z][a-z_]{0,49}$')),
  constraint mails_lease_while_due CHECK (((lease_until IS NULL) OR (state = 'due'))),
  constraint mails_next_attempt_while_due CHECK (((state = 'due') = (next_attempt_at IS NOT NULL))),
  constraint mails_recipient_is_one_address CHECK ((recipient ~ '^[^[:space:][:cntrl:],;<>@]+@[^[:space:][:cntrl:],;<>@]+$')),
  constraint mails_six_attempts CHECK (((attempts >= 0) AND (attempts <= 6))),
  constraint mails_state_known CHECK ((state = ANY (ARRAY['due', 'sent', 'failed'])))
);
CREATE INDEX mails_by_recipient ON mails (lower(recipient));
CREATE INDEX mails_due ON mails (is_bulk, next_attempt_at) WHERE (state = 'due');
CREATE INDEX mails_finished ON mails (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX mails_of_receipts ON mails (lower(recipient), created_at) WHERE (kind = 'receipt');
CREATE INDEX mails_of_test_receipts ON mails (lower(recipient), created_at) WHERE (kind = 'test_receipt');
-- malipo_service: delete, insert, select, update

create table members (
  id uuid not null,
  merchant_id uuid not null,
  user_id uuid,
  role text not null,
  email text collate "C",
  token_hash bytea,
  invitation_expires_at timestamptz(3),
  invited_by uuid,
  joined_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  removed_at timestamptz(3),
  removed_by uuid,
  power_from timestamptz(3),
  power_confirmed_at timestamptz(3),
  constraint members_pkey PRIMARY KEY (id),
  constraint members_token_unique UNIQUE (token_hash),
  constraint members_email_lower_case CHECK ((email = lower(email))),
  constraint members_invitation_complete CHECK (((user_id IS NOT NULL) OR (removed_at IS NOT NULL) OR ((email IS NOT NULL) AND (token_hash IS NOT NULL) AND (invitation_expires_at IS NOT NULL)))),
  constraint members_joined_with_person CHECK (((user_id IS NULL) = (joined_at IS NULL))),
  constraint members_role_known CHECK ((role = ANY (ARRAY['owner', 'admin', 'approver', 'accountant', 'cashier', 'developer']))),
  constraint members_token_of_an_invitation CHECK (((token_hash IS NULL) OR ((user_id IS NULL) AND (removed_at IS NULL)))),
  constraint members_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  constraint members_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint members_removed_by_fkey FOREIGN KEY (removed_by) REFERENCES users(id),
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX members_by_address ON members (email) WHERE (user_id IS NULL);
CREATE INDEX members_by_merchant ON members (merchant_id, created_at DESC, id DESC);
CREATE INDEX members_by_person ON members (user_id);
CREATE INDEX members_invitations_ended ON members (COALESCE(removed_at, invitation_expires_at)) WHERE (user_id IS NULL);
CREATE UNIQUE INDEX members_one_invitation_per_address ON members (merchant_id, email) WHERE ((removed_at IS NULL) AND (user_id IS NULL));
CREATE UNIQUE INDEX members_one_role_per_person ON members (merchant_id, user_id) WHERE (removed_at IS NULL);
CREATE CONSTRAINT TRIGGER members_keep_the_person AFTER INSERT OR UPDATE ON members DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION members_keep_the_person();
CREATE TRIGGER members_seal_delete AFTER DELETE ON members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER members_seal_insert AFTER INSERT ON members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER members_seal_update AFTER UPDATE ON members REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER members_tell_delete AFTER DELETE ON members REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_members();
CREATE TRIGGER members_tell_insert AFTER INSERT ON members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_members();
CREATE TRIGGER members_tell_update AFTER UPDATE ON members REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_members();
-- malipo_service: delete, insert, select, update

create table merchant_brands (
  merchant_id uuid not null,
  color text,
  logo bytea,
  logo_type text,
  logo_width smallint,
  logo_height smallint,
  logo_sha256 bytea,
  removed_sha256 bytea,
  removed_reason text,
  removed_at timestamptz(3),
  changed_by text not null,
  updated_at timestamptz(3) not null default clock_now(),
  constraint merchant_brands_pkey PRIMARY KEY (merchant_id),
  constraint merchant_brands_color_is_one CHECK ((color ~ '^#[0-9a-f]{6}$')),
  constraint merchant_brands_logo_is_small CHECK (((octet_length(logo) <= 12288) AND ((logo_width >= 1) AND (logo_width <= 256)) AND ((logo_height >= 1) AND (logo_height <= 160)))),
  constraint merchant_brands_logo_is_whole CHECK ((num_nonnulls(logo, logo_type, logo_width, logo_height, logo_sha256) = ANY (ARRAY[0, 5]))),
  constraint merchant_brands_logo_type CHECK ((logo_type = ANY (ARRAY['image/jpeg', 'image/png']))),
  constraint merchant_brands_removal_is_whole CHECK ((num_nonnulls(removed_sha256, removed_reason, removed_at) = ANY (ARRAY[0, 3]))),
  constraint merchant_brands_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX merchant_brands_logo ON merchant_brands (logo_sha256) WHERE (logo IS NOT NULL);
-- malipo_service: delete, insert, select, update

create table merchants (
  id uuid not null,
  home smallint not null,
  kind text not null,
  user_id uuid not null,
  display_name text not null,
  verification_status text not null default 'unsubmitted',
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  suspended_at timestamptz(3),
  suspension_reason text,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_home_in_range CHECK (((home >= 0) AND (home <= 4095))),
  constraint merchants_kind_known CHECK ((kind = ANY (ARRAY['personal', 'business']))),
  constraint merchants_personal_is_its_user CHECK (((kind <> 'personal') OR (id = user_id))),
  constraint merchants_suspended_says_why CHECK (((suspended_at IS NULL) = (suspension_reason IS NULL))),
  constraint merchants_verification_known CHECK ((verification_status = ANY (ARRAY['unsubmitted', 'pending', 'verified', 'rejected']))),
  constraint merchants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX merchants_by_folded_name ON merchants (fold_text(display_name) text_pattern_ops);
CREATE INDEX merchants_by_status ON merchants (kind, verification_status);
CREATE INDEX merchants_by_user ON merchants (user_id);
CREATE TRIGGER businesses_follow_their_person AFTER UPDATE ON merchants FOR EACH ROW WHEN ((new.user_id IS DISTINCT FROM old.user_id)) EXECUTE FUNCTION businesses_follow_their_person();
CREATE TRIGGER members_add_person AFTER INSERT ON merchants FOR EACH ROW EXECUTE FUNCTION members_add_person();
CREATE TRIGGER merchants_keep_their_person BEFORE UPDATE ON merchants FOR EACH ROW WHEN (((new.user_id IS DISTINCT FROM old.user_id) OR (new.kind IS DISTINCT FROM old.kind))) EXECUTE FUNCTION merchants_keep_their_person();
CREATE TRIGGER merchants_seal_delete AFTER DELETE ON merchants REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER merchants_seal_insert AFTER INSERT ON merchants REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER merchants_seal_update AFTER UPDATE ON merchants REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER merchants_tell_insert AFTER INSERT ON merchants REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_accounts('account');
CREATE TRIGGER merchants_tell_update AFTER UPDATE ON merchants REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_accounts('account');
CREATE CONSTRAINT TRIGGER verifications_are_told AFTER UPDATE OF verification_status ON merchants DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION verifications_are_told();
-- malipo_service: delete, insert, select, update

create table network_paces (
  network_key bytea not null,
  phones double precision not null,
  paid double precision not null default 0,
  counted_at timestamptz(3) not null,
  constraint network_paces_pkey PRIMARY KEY (network_key)
) with (fillfactor=70);
CREATE INDEX network_paces_by_time ON network_paces (counted_at);
-- malipo_service: delete, insert, select, update

create table network_states (
  environment text not null,
  network text not null,
  status text not null default 'operational',
  since timestamptz(3) not null default clock_now(),
  worked integer not null default 0,
  failed integer not null default 0,
  checked_at timestamptz(3),
  constraint network_states_pkey PRIMARY KEY (environment, network),
  constraint network_states_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint network_states_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint network_states_status_known CHECK ((status = ANY (ARRAY['operational', 'degraded', 'down'])))
);
CREATE TRIGGER network_states_tell_insert AFTER INSERT ON network_states REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('networks');
CREATE TRIGGER network_states_tell_update AFTER UPDATE ON network_states REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('networks');
-- malipo_service: delete, insert, select, update

create table notification_preferences (
  user_id uuid not null,
  payment_received boolean not null default false,
  payout_finished boolean not null default true,
  webhook_disabled boolean not null default true,
  new_device boolean not null default true,
  payments_told_until timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint notification_preferences_pkey PRIMARY KEY (user_id),
  constraint notification_preferences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX notification_preferences_of_payments ON notification_preferences (payments_told_until) WHERE payment_received;
-- malipo_service: delete, insert, select, update

create table payment_page_slugs (
  slug text collate "C" not null,
  home smallint not null,
  page_id uuid not null,
  constraint payment_page_slugs_pkey PRIMARY KEY (slug),
  constraint payment_page_slugs_shape CHECK ((slug ~ '^[a-z0-9-]{3,60}$'))
);
CREATE TRIGGER payment_page_slugs_seal_delete AFTER DELETE ON payment_page_slugs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_page_slugs_seal_insert AFTER INSERT ON payment_page_slugs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_page_slugs_seal_update AFTER UPDATE ON payment_page_slugs REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table payment_pages (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  type text not null,
  slug text not null,
  title text not null,
  description text,
  amount bigint,
  currency text not null default 'TZS',
  allow_custom_amount boolean not null default false,
  min_amount bigint not null default 500,
  max_amount bigint,
  max_payments integer,
  held_count integer not null default 0,
  paid_count bigint not null default 0,
  paid_total bigint not null default 0,
  active boolean not null default true,
  inactive_message text,
  expires_at timestamptz(3),
  redirect_url text,
  success_message text,
  language text not null default 'auto',
  metadata jsonb not null default '{}'::jsonb,
  merchant_reference text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  kind text not null default 'page',
  is_hidden boolean not null generated always as (((kind = 'request') OR (kind = 'direct'))) stored,
  suspended_at timestamptz(3),
  suspension_reason text,
  custom_fields jsonb not null default '[]'::jsonb,
  constraint payment_pages_pkey PRIMARY KEY (home, id),
  constraint payment_pages_environment_unique UNIQUE (home, id, environment),
  constraint payment_pages_amount_known CHECK (((amount IS NOT NULL) OR allow_custom_amount)),
  constraint payment_pages_amounts_in_range CHECK (((min_amount >= 500) AND (amount >= min_amount) AND (amount <= max_amount) AND (max_amount >= min_amount))),
  constraint payment_pages_counts_not_negative CHECK (((held_count >= 0) AND (paid_count >= 0) AND (paid_total >= 0))),
  constraint payment_pages_custom_fields_at_most_5 CHECK (((jsonb_typeof(custom_fields) = 'array') AND (jsonb_array_length(custom_fields) <= 5))),
  constraint payment_pages_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint payment_pages_invoice_is_single_use CHECK (((type <> 'invoice') OR (max_payments = 1))),
  constraint payment_pages_kind_known CHECK ((kind = ANY (ARRAY['page', 'webhook_tests', 'request', 'direct']))),
  constraint payment_pages_language_known CHECK ((language = ANY (ARRAY['sw', 'en', 'auto']))),
  constraint payment_pages_max_payments_positive CHECK ((max_payments > 0)),
  constraint payment_pages_merchant_reference_printable CHECK ((((char_length(merchant_reference) >= 1) AND (char_length(merchant_reference) <= 64)) AND (merchant_reference !~ '[[:cntrl:]]'))),
  constraint payment_pages_reference_of_request CHECK (((merchant_reference IS NULL) OR (kind = 'request'))),
  constraint payment_pages_request_has_amount CHECK (((kind <> 'request') OR ((amount IS NOT NULL) AND (NOT allow_custom_amount)))),
  constraint payment_pages_request_has_one_payment_in_flight CHECK (((kind <> 'request') OR (held_count <= 1))),
  constraint payment_pages_request_is_single_use CHECK (((kind <> 'request') OR (COALESCE(max_payments, 0) = 1))),
  constraint payment_pages_suspended_says_why CHECK (((suspended_at IS NULL) = (suspension_reason IS NULL))),
  constraint payment_pages_type_known CHECK ((type = ANY (ARRAY['wallet_topup', 'payment', 'invoice', 'donation', 'event', 'contribution']))),
  constraint payment_pages_tzs_only CHECK ((currency = 'TZS')),
  constraint payment_pages_webhook_tests_in_test CHECK (((kind <> 'webhook_tests') OR (environment = 'test'))),
  constraint payment_pages_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
) with (fillfactor=50);
CREATE INDEX payment_pages_by_merchant ON payment_pages (home, merchant_id, environment, is_hidden, created_at DESC, id DESC);
CREATE INDEX payment_pages_by_merchant_reference ON payment_pages (home, merchant_id, environment, merchant_reference, created_at DESC, id DESC) WHERE (merchant_reference IS NOT NULL);
CREATE UNIQUE INDEX payment_pages_one_direct ON payment_pages (home, merchant_id, environment) WHERE (kind = 'direct');
CREATE UNIQUE INDEX payment_pages_one_for_webhook_tests ON payment_pages (home, merchant_id) WHERE (kind = 'webhook_tests');
CREATE TRIGGER payment_pages_seal_delete AFTER DELETE ON payment_pages REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_pages_seal_insert AFTER INSERT ON payment_pages FOR EACH ROW EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_pages_seal_update AFTER UPDATE OF home, id, merchant_id, environment, type, slug, title, description, amount, currency, allow_custom_amount, min_amount, max_amount, max_payments, active, inactive_message, expires_at, redirect_url, success_message, language, metadata, merchant_reference, created_at, kind, is_hidden, suspended_at, suspension_reason, custom_fields ON payment_pages FOR EACH ROW WHEN (((((((((((((((((((((((((((((old.home IS DISTINCT FROM new.home) OR (old.id IS DISTINCT FROM new.id)) OR (old.merchant_id IS DISTINCT FROM new.merchant_id)) OR (old.environment IS DISTINCT FROM new.environment)) OR (old.type IS DISTINCT FROM new.type)) OR (old.slug IS DISTINCT FROM new.slug)) OR (old.title IS DISTINCT FROM new.title)) OR (old.description IS DISTINCT FROM new.description)) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.allow_custom_amount IS DISTINCT FROM new.allow_custom_amount)) OR (old.min_amount IS DISTINCT FROM new.min_amount)) OR (old.max_amount IS DISTINCT FROM new.max_amount)) OR (old.max_payments IS DISTINCT FROM new.max_payments)) OR (old.active IS DISTINCT FROM new.active)) OR (old.inactive_message IS DISTINCT FROM new.inactive_message)) OR (old.expires_at IS DISTINCT FROM new.expires_at)) OR (old.redirect_url IS DISTINCT FROM new.redirect_url)) OR (old.success_message IS DISTINCT FROM new.success_message)) OR (old.language IS DISTINCT FROM new.language)) OR (old.metadata IS DISTINCT FROM new.metadata)) OR (old.merchant_reference IS DISTINCT FROM new.merchant_reference)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.is_hidden IS DISTINCT FROM new.is_hidden)) OR (old.suspended_at IS DISTINCT FROM new.suspended_at)) OR (old.suspension_reason IS DISTINCT FROM new.suspension_reason)) OR (old.custom_fields IS DISTINCT FROM new.custom_fields))) EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_pages_tell_insert AFTER INSERT ON payment_pages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('pages');
CREATE TRIGGER payment_pages_tell_update AFTER UPDATE ON payment_pages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('pages');
-- malipo_service: delete, insert, select, update

create table payment_receipts (
  home smallint not null,
  payment_id uuid not null,
  parts text[] not null,
  constraint payment_receipts_pkey PRIMARY KEY (home, payment_id),
  constraint payment_receipts_payment FOREIGN KEY (home, payment_id) REFERENCES payments(home, id)
);
CREATE INDEX payment_receipts_by_part ON payment_receipts USING gin (parts) WITH (gin_pending_list_limit='1024');
-- malipo_service: delete, insert, select, update

create table payment_requests (
  home smallint not null,
  id uuid not null,
  customer_name text,
  customer_email text,
  customer_phone text,
  cancelled_at timestamptz(3),
  constraint payment_requests_pkey PRIMARY KEY (home, id),
  constraint payment_requests_page FOREIGN KEY (home, id) REFERENCES payment_pages(home, id)
);
CREATE INDEX payment_requests_by_phone ON payment_requests (customer_phone) WHERE (customer_phone IS NOT NULL);
CREATE TRIGGER payment_requests_seal_delete AFTER DELETE ON payment_requests REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_requests_seal_insert AFTER INSERT ON payment_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_requests_seal_update AFTER UPDATE ON payment_requests REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payment_requests_tell_insert AFTER INSERT ON payment_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_requests();
CREATE TRIGGER payment_requests_tell_update AFTER UPDATE ON payment_requests REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_requests();
-- malipo_service: delete, insert, select, update

create table payment_transitions (
  from_status text not null,
  to_status text not null,
  ends boolean not null,
  credits boolean not null,
  late boolean not null,
  constraint payment_transitions_pkey PRIMARY KEY (from_status, to_status)
);
-- malipo_service: select

create table payments (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  page_id uuid not null,
  status text not null default 'pending',
  amount bigint not null,
  currency text not null default 'TZS',
  phone_number text not null,
  network text,
  customer_name text,
  customer_email text,
  merchant_reference text,
  metadata jsonb not null default '{}'::jsonb,
  description text,
  idempotency_hash bytea not null,
  request_hash bytea not null,
  holds_place boolean not null default false,
  failure_code text,
  failure_text text,
  late boolean not null default false,
  held boolean not null default false,
  expires_at timestamptz(3) not null,
  completed_at timestamptz(3),
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  cancel_requested_at timestamptz(3),
  payer_language text not null default 'sw',
  trace_id uuid,
  amount_received bigint,
  credit_reversed_at timestamptz(3),
  short_code text collate "C" not null generated always as (short_code_of(id)) stored,
  network_receipt text,
  refunded_amount bigint not null default 0,
  refund_overpaid bigint not null default 0,
  custom_fields jsonb,
  constraint payments_pkey PRIMARY KEY (home, id),
  constraint payments_one_per_idempotency_key UNIQUE (home, page_id, idempotency_hash),
  constraint payments_amount_at_least_500 CHECK ((amount >= 500)),
  constraint payments_amount_received_differs CHECK (((amount_received IS NULL) OR ((amount_received > 0) AND (amount_received <> amount) AND (status = 'completed')))),
  constraint payments_completed_has_time CHECK (((status = 'completed') = (completed_at IS NOT NULL))),
  constraint payments_custom_fields_at_most_5 CHECK (((jsonb_typeof(custom_fields) = 'array') AND (jsonb_array_length(custom_fields) <= 5))),
  constraint payments_description_not_empty CHECK ((description <> '')),
  constraint payments_failed_has_code CHECK (((status <> 'failed') OR (failure_code IS NOT NULL))),
  constraint payments_failure_code_known CHECK ((failure_code = ANY (ARRAY['insufficient_funds', 'wrong_pin', 'declined_by_payer', 'prompt_timeout', 'payer_not_found', 'payer_limit', 'payer_busy', 'network_unavailable', 'provider_error']))),
  constraint payments_merchant_reference_printable CHECK ((((char_length(merchant_reference) >= 1) AND (char_length(merchant_reference) <= 64)) AND (merchant_reference !~ '[[:cntrl:]]'))),
  constraint payments_metadata_is_object CHECK ((jsonb_typeof(metadata) = 'object')),
  constraint payments_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint payments_payer_language_known CHECK ((payer_language = ANY (ARRAY['sw', 'en']))),
  constraint payments_refunded_was_completed CHECK (((refunded_amount = 0) OR (status = 'completed'))),
  constraint payments_refunds_within_amount CHECK ((((refunded_amount >= 0) AND (refunded_amount <= (COALESCE(amount_received, amount) + refund_overpaid))) AND (refund_overpaid >= 0))),
  constraint payments_reversed_was_credited CHECK (((credit_reversed_at IS NULL) OR (status = 'completed'))),
  constraint payments_status_known CHECK ((status = ANY (ARRAY['pending', 'processing', 'completed', 'failed', 'voided', 'expired']))),
  constraint payments_tzs_only CHECK ((currency = 'TZS')),
  constraint payments_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint payments_page FOREIGN KEY (home, page_id, environment) REFERENCES payment_pages(home, id, environment)
) with (fillfactor=70);
CREATE INDEX payments_by_merchant ON payments (home, merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX payments_by_merchant_reference ON payments (merchant_reference, home, merchant_id, environment, created_at DESC, id DESC) WHERE (merchant_reference IS NOT NULL);
CREATE INDEX payments_by_page ON payments (home, page_id, created_at DESC, id DESC);
CREATE INDEX payments_by_payer_name ON payments (fold_text(customer_name) text_pattern_ops, created_at DESC, id DESC) WHERE (customer_name IS NOT NULL);
CREATE INDEX payments_by_phone ON payments (phone_number, created_at DESC, id DESC);
CREATE INDEX payments_by_short_code ON payments (short_code);
CREATE INDEX payments_by_short_code_end ON payments (substr(short_code, 4));
CREATE INDEX payments_by_time ON payments USING brin (created_at, updated_at) WITH (pages_per_range='128', autosummarize='on');
CREATE TRIGGER payments_tell_insert AFTER INSERT ON payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('payments');
CREATE TRIGGER payments_tell_update AFTER UPDATE ON payments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('payments');
-- malipo_service: delete, insert, select, update

create table payout_batch_changes (
  home smallint not null,
  batch_id uuid not null,
  version integer not null,
  row_number integer,
  state text,
  amount bigint,
  phone_number text,
  recipient_name text,
  narration text,
  reference text,
  requested_at timestamptz(3),
  total bigint not null,
  row_count integer not null,
  constraint payout_batch_changes_pkey PRIMARY KEY (home, batch_id, version),
  constraint payout_batch_changes_row_has_state CHECK (((row_number IS NULL) = (state IS NULL))),
  constraint payout_batch_changes_state_known CHECK ((state = ANY (ARRAY['invalid', 'ready', 'removed']))),
  constraint payout_batch_changes_batch FOREIGN KEY (home, batch_id) REFERENCES payout_batches(home, id) ON DELETE CASCADE
);
CREATE INDEX payout_batch_changes_by_phone ON payout_batch_changes (phone_number) WHERE (phone_number IS NOT NULL);
CREATE TRIGGER payout_batch_changes_seal_delete AFTER DELETE ON payout_batch_changes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batch_changes_seal_insert AFTER INSERT ON payout_batch_changes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batch_changes_seal_update AFTER UPDATE ON payout_batch_changes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table payout_batch_rows (
  home smallint not null,
  batch_id uuid not null,
  row_number integer not null,
  line integer,
  state text not null,
  amount bigint,
  phone_number text,
  network text,
  recipient_name text,
  narration text,
  reference text,
  fee bigint,
  errors jsonb not null default '[]'::jsonb,
  duplicate_of integer,
  name_differs boolean not null default false,
  constraint payout_batch_rows_pkey PRIMARY KEY (home, batch_id, row_number),
  constraint payout_batch_rows_fee_not_negative CHECK ((fee >= 0)),
  constraint payout_batch_rows_invalid_has_error CHECK (((state = 'removed') OR ((state = 'invalid') = (errors <> '[]'::jsonb)))),
  constraint payout_batch_rows_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint payout_batch_rows_ready_complete CHECK (((state <> 'ready') OR ((amount > 0) AND (phone_number IS NOT NULL) AND (recipient_name IS NOT NULL)))),
  constraint payout_batch_rows_state_known CHECK ((state = ANY (ARRAY['invalid', 'ready', 'removed']))),
  constraint payout_batch_rows_batch FOREIGN KEY (home, batch_id) REFERENCES payout_batches(home, id) ON DELETE CASCADE
);
CREATE INDEX payout_batch_rows_by_phone ON payout_batch_rows (phone_number) WHERE (phone_number IS NOT NULL);
CREATE INDEX payout_batch_rows_unquoted ON payout_batch_rows (home, batch_id, amount) WHERE ((state = 'ready') AND (fee IS NULL));
CREATE TRIGGER payout_batch_rows_seal_delete AFTER DELETE ON payout_batch_rows REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batch_rows_seal_insert AFTER INSERT ON payout_batch_rows REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batch_rows_seal_update AFTER UPDATE ON payout_batch_rows REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table payout_batches (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  title text,
  status text not null default 'draft',
  row_count integer not null default 0,
  invalid_count integer not null default 0,
  warned_count integer not null default 0,
  total bigint not null default 0,
  fees bigint,
  fees_due_at timestamptz(3),
  approval text not null default 'none',
  content_hash bytea not null,
  request_hash bytea not null,
  requested_by text not null,
  requested_by_user uuid not null,
  edited_by uuid[] not null default '{}'::uuid[],
  request_id text not null,
  failure_code text,
  approved_by text,
  approved_at timestamptz(3),
  stopped_at timestamptz(3),
  finished_at timestamptz(3),
  notified_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  version integer not null default 1,
  constraint payout_batches_pkey PRIMARY KEY (home, id),
  constraint payout_batches_approval_known CHECK ((approval = ANY (ARRAY['none', 'required', 'approved', 'refused']))),
  constraint payout_batches_done_has_time CHECK (((status <> 'done') OR (finished_at IS NOT NULL))),
  constraint payout_batches_ended_once CHECK (((finished_at IS NULL) OR (status = ANY (ARRAY['done', 'stopped'])))),
  constraint payout_batches_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint payout_batches_failure_known CHECK ((failure_code = ANY (ARRAY['approval_refused', 'approval_expired']))),
  constraint payout_batches_refused_has_code CHECK (((failure_code IS NOT NULL) = (approval = 'refused'))),
  constraint payout_batches_refused_pays_nothing CHECK (((approval <> 'refused') OR ((status = 'stopped') AND (approved_at IS NULL)))),
  constraint payout_batches_runs_complete CHECK (((status = ANY (ARRAY['draft', 'waiting'])) OR (approval = 'refused') OR ((approved_at IS NOT NULL) AND (approved_by IS NOT NULL) AND (invalid_count = 0) AND (row_count > 0) AND (fees IS NOT NULL)))),
  constraint payout_batches_status_known CHECK ((status = ANY (ARRAY['draft', 'waiting', 'running', 'done', 'stopped']))),
  constraint payout_batches_stopped_has_time CHECK (((status = 'stopped') = (stopped_at IS NOT NULL))),
  constraint payout_batches_told_after_end CHECK (((notified_at IS NULL) OR (finished_at IS NOT NULL))),
  constraint payout_batches_waits_for_members CHECK (((status = 'waiting') = (approval = 'required'))),
  constraint payout_batches_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint payout_batches_requested_by_user_fkey FOREIGN KEY (requested_by_user) REFERENCES users(id)
);
CREATE INDEX payout_batches_by_content ON payout_batches (home, merchant_id, environment, content_hash);
CREATE INDEX payout_batches_by_merchant ON payout_batches (home, merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX payout_batches_drafts ON payout_batches (created_at) WHERE ((status = 'draft') OR (approval = 'refused'));
CREATE INDEX payout_batches_fees_due ON payout_batches (fees_due_at) WHERE (fees_due_at IS NOT NULL);
CREATE INDEX payout_batches_to_tell ON payout_batches (finished_at) WHERE ((finished_at IS NOT NULL) AND (notified_at IS NULL));
CREATE INDEX payout_batches_unfinished ON payout_batches (approved_at) WHERE ((status = ANY (ARRAY['running', 'stopped'])) AND (finished_at IS NULL));
CREATE TRIGGER payout_batches_seal_delete AFTER DELETE ON payout_batches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batches_seal_insert AFTER INSERT ON payout_batches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batches_seal_update AFTER UPDATE ON payout_batches REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_batches_tell_delete AFTER DELETE ON payout_batches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('batches');
CREATE TRIGGER payout_batches_tell_insert AFTER INSERT ON payout_batches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('batches');
CREATE TRIGGER payout_batches_tell_update AFTER UPDATE ON payout_batches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('batches');
-- malipo_service: delete, insert, select, update

create table payout_freezes (
  home smallint not null,
  merchant_id uuid not null,
  environment text not null,
  reason text not null,
  since timestamptz(3) not null default clock_now(),
  constraint payout_freezes_pkey PRIMARY KEY (home, merchant_id, environment),
  constraint payout_freezes_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint payout_freezes_says_why CHECK ((reason <> '')),
  constraint payout_freezes_merchant FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE TRIGGER payout_freezes_seal_delete AFTER DELETE ON payout_freezes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_freezes_seal_insert AFTER INSERT ON payout_freezes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_freezes_seal_update AFTER UPDATE ON payout_freezes REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payout_freezes_tell_delete AFTER DELETE ON payout_freezes REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('account');
CREATE TRIGGER payout_freezes_tell_insert AFTER INSERT ON payout_freezes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('account');
CREATE TRIGGER payout_freezes_tell_update AFTER UPDATE ON payout_freezes REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('account');
-- malipo_service: delete, insert, select, update

create table payout_transitions (
  from_status text not null,
  to_status text not null,
  gives_back boolean not null,
  constraint payout_transitions_pkey PRIMARY KEY (from_status, to_status)
);
-- malipo_service: select

create table payouts (
  home smallint not null,
  id uuid not null,
  merchant_id uuid,
  environment text not null,
  status text not null default 'pending',
  amount bigint not null,
  fee bigint not null,
  currency text not null default 'TZS',
  phone_number text not null,
  recipient_name text not null,
  network text,
  narration text,
  reference text,
  metadata jsonb not null default '{}'::jsonb,
  idempotency_hash bytea not null,
  request_hash bytea not null,
  approval text not null default 'none',
  approval_by text,
  failure_code text,
  failure_text text,
  held boolean not null default false,
  requested_by text not null,
  request_id text not null,
  completed_at timestamptz(3),
  reversed_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  told_status text,
  trace_id uuid,
  late_success text,
  purpose text not null default 'merchant',
  break_id uuid,
  waits_until timestamptz,
  refund_of uuid,
  reason text,
  warnings text[] not null default '{}'::text[],
  batch_id uuid,
  batch_row integer,
  is_double boolean not null default false,
  method text not null default 'provider',
  constraint payouts_pkey PRIMARY KEY (home, id),
  constraint payouts_one_per_idempotency_key UNIQUE (home, merchant_id, environment, idempotency_hash),
  constraint payouts_amount_positive CHECK ((amount > 0)),
  constraint payouts_approval_by_known CHECK ((approval_by = ANY (ARRAY['members', 'operators']))),
  constraint payouts_approval_has_deciders CHECK (((approval = 'none') = (approval_by IS NULL))),
  constraint payouts_approval_known CHECK ((approval = ANY (ARRAY['none', 'required', 'approved', 'refused']))),
  constraint payouts_batch_has_row CHECK (((batch_id IS NULL) = (batch_row IS NULL))),
  constraint payouts_batch_is_of_merchant CHECK (((batch_id IS NULL) OR (purpose = 'merchant'))),
  constraint payouts_completed_has_time CHECK (((status = ANY (ARRAY['completed', 'reversed'])) = (completed_at IS NOT NULL))),
  constraint payouts_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint payouts_failed_has_code CHECK ( CASE WHEN (failure_code = ANY (ARRAY['approval_refused', 'approval_expired'])) THEN (status = 'cancelled') ELSE ((status = 'failed') = (failure_code IS NOT NULL)) END),
  constraint payouts_failure_code_known CHECK ((failure_code = ANY (ARRAY['recipient_not_found', 'recipient_limit', 'network_unavailable', 'provider_error', 'approval_refused', 'approval_expired']))),
  constraint payouts_fee_not_negative CHECK ((fee >= 0)),
  constraint payouts_late_success_known CHECK (((late_success IS NULL) OR ((late_success = 'booked') AND (status = ANY (ARRAY['completed', 'reversed']))) OR ((late_success = 'written_off') AND (status = ANY (ARRAY['failed', 'reversed', 'cancelled']))))),
  constraint payouts_method_known CHECK ((method = ANY (ARRAY['provider', 'outside']))),
  constraint payouts_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint payouts_outside_costs_nothing CHECK (((method = 'provider') OR ((purpose = 'refund') AND (fee = 0) AND (waits_until IS NULL) AND (approval_by IS DISTINCT FROM 'operators') AND (NOT held) AND (late_success IS NULL) AND (status = ANY (ARRAY['pending', 'completed', 'cancelled']))))),
  constraint payouts_purpose_has_owner CHECK ( CASE purpose WHEN 'return_to_payer' THEN ((merchant_id IS NULL) AND (break_id IS NOT NULL)) ELSE ((merchant_id IS NOT NULL) AND (break_id IS NULL)) END),
  constraint payouts_purpose_known CHECK ((purpose = ANY (ARRAY['merchant', 'refund', 'return_to_payer']))),
  constraint payouts_reason_is_of_refund CHECK (((reason IS NULL) OR (purpose = 'refund'))),
  constraint payouts_refund_has_payment CHECK (((purpose = 'refund') = (refund_of IS NOT NULL))),
  constraint payouts_reversed_has_time CHECK (((status = 'reversed') = (reversed_at IS NOT NULL))),
  constraint payouts_status_known CHECK ((status = ANY (ARRAY['pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled']))),
  constraint payouts_tzs_only CHECK ((currency = 'TZS')),
  constraint payouts_waits_while_not_approved CHECK (((approval <> ALL (ARRAY['required', 'refused'])) OR (status = ANY (ARRAY['pending', 'cancelled'])) OR ((approval = 'refused') AND (late_success IS NOT NULL)))),
  constraint payouts_warnings_known CHECK ((warnings <@ ARRAY['recipient_name_differs', 'rest_below_minimum'])),
  constraint payouts_batch_row FOREIGN KEY (home, batch_id, batch_row) REFERENCES payout_batch_rows(home, batch_id, row_number),
  constraint payouts_break FOREIGN KEY (home, break_id) REFERENCES breaks(home, id),
  constraint payouts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint payouts_refunded_payment FOREIGN KEY (home, refund_of) REFERENCES payments(home, id)
);
CREATE INDEX payouts_batch_open ON payouts (home, batch_id) WHERE ((batch_id IS NOT NULL) AND (status = ANY (ARRAY['pending', 'processing'])));
CREATE INDEX payouts_by_break ON payouts (home, break_id) WHERE (break_id IS NOT NULL);
CREATE INDEX payouts_by_merchant ON payouts (home, merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX payouts_by_phone ON payouts (phone_number, created_at DESC, id DESC);
CREATE INDEX payouts_by_recipient ON payouts (home, merchant_id, environment, phone_number, purpose, completed_at DESC, id DESC) WHERE (status = 'completed');
CREATE INDEX payouts_by_refunded_payment ON payouts (home, refund_of, created_at DESC, id DESC) WHERE (refund_of IS NOT NULL);
CREATE INDEX payouts_by_time ON payouts USING brin (created_at, updated_at) WITH (pages_per_range='128', autosummarize='on');
CREATE INDEX payouts_newest ON payouts (created_at DESC, id DESC);
CREATE UNIQUE INDEX payouts_one_per_batch_row ON payouts (home, batch_id, batch_row) INCLUDE (status, amount) WHERE (batch_id IS NOT NULL);
CREATE UNIQUE INDEX payouts_one_return_in_flight ON payouts (home, break_id) WHERE ((break_id IS NOT NULL) AND (status = ANY (ARRAY['pending', 'processing', 'completed'])));
CREATE INDEX payouts_refunds_by_merchant ON payouts (home, merchant_id, environment, created_at DESC, id DESC) WHERE (purpose = 'refund');
CREATE INDEX payouts_to_approve ON payouts (created_at DESC, id DESC) WHERE ((approval = 'required') AND (approval_by = 'operators'));
CREATE INDEX payouts_to_tell ON payouts (updated_at) WHERE ((status = ANY (ARRAY['completed', 'failed', 'reversed'])) AND (told_status IS DISTINCT FROM status) AND (batch_id IS NULL));
CREATE INDEX payouts_unfinished ON payouts (created_at) WHERE (status = ANY (ARRAY['pending', 'processing']));
CREATE TRIGGER payouts_method_stays BEFORE UPDATE OF method ON payouts FOR EACH ROW WHEN ((old.method IS DISTINCT FROM new.method)) EXECUTE FUNCTION refuse_other_method();
CREATE TRIGGER payouts_seal_delete AFTER DELETE ON payouts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payouts_seal_insert AFTER INSERT ON payouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payouts_seal_update AFTER UPDATE ON payouts REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER payouts_tell_insert AFTER INSERT ON payouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('payouts');
CREATE TRIGGER payouts_tell_update AFTER UPDATE ON payouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('payouts');
CREATE TRIGGER payouts_transition_known BEFORE UPDATE OF status ON payouts FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION refuse_unknown_payout_move();
-- malipo_service: delete, insert, select, update

create table prompts (
  home smallint not null,
  page_id uuid not null,
  idempotency_hash bytea not null,
  phone_key bytea not null,
  prompted_at timestamptz(3) not null default clock_now(),
  repeats bytea,
  network_key bytea,
  is_sent boolean not null default true,
  is_paid boolean not null default false,
  constraint prompts_pkey PRIMARY KEY (home, page_id, idempotency_hash)
);
CREATE INDEX prompts_by_phone ON prompts (phone_key, prompted_at);
CREATE INDEX prompts_by_time ON prompts (prompted_at);
CREATE INDEX prompts_sent_by_phone ON prompts (phone_key, prompted_at) WHERE is_sent;
CREATE INDEX prompts_to_count ON prompts (prompted_at) WHERE ((network_key IS NOT NULL) AND (NOT is_paid));
-- malipo_service: delete, insert, select, update

create table provider_balances (
  run_id uuid not null,
  provider text not null,
  environment text not null,
  read_at timestamptz(3) not null default clock_now(),
  reported bigint not null,
  booked bigint not null,
  moved bigint not null,
  has_opening boolean not null,
  unnamed bigint not null,
  unnamed_count bigint not null,
  fees_low bigint not null,
  fees_high bigint not null,
  low bigint not null,
  high bigint not null,
  difference bigint not null,
  constraint provider_balances_pkey PRIMARY KEY (run_id),
  constraint provider_balances_difference_is_outside CHECK (((difference = 0) = ((reported >= low) AND (reported <= high)))),
  constraint provider_balances_in_order CHECK (((low <= high) AND (0 <= fees_low) AND (fees_low <= fees_high)))
);
CREATE INDEX provider_balances_newest ON provider_balances (provider, environment, read_at DESC);
-- malipo_service: delete, insert, select, update

create table provider_charges (
  home smallint not null,
  payment_id uuid not null,
  provider text not null,
  state text not null default 'claimed',
  idempotency_key text not null,
  request_body text not null,
  provider_reference text,
  provider_expires_at timestamptz(3),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  claimed_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  pushes smallint not null default 0,
  pushed_at timestamptz(3),
  order_mac text,
  ended_by text[],
  ended_at timestamptz(3),
  recheck_at timestamptz(3),
  confirm_by timestamptz(3),
  constraint provider_charges_pkey PRIMARY KEY (home, payment_id),
  constraint provider_charges_accepted_has_reference CHECK (((state <> 'accepted') OR (provider_reference IS NOT NULL))),
  constraint provider_charges_key_short CHECK ((octet_length(idempotency_key) <= 30)),
  constraint provider_charges_pushes_at_most_3 CHECK (((pushes >= 0) AND (pushes <= 3))),
  constraint provider_charges_rechecked_after_end CHECK (((recheck_at IS NULL) = (ended_at IS NULL))),
  constraint provider_charges_state_known CHECK ((state = ANY (ARRAY['claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected']))),
  constraint provider_charges_payment FOREIGN KEY (home, payment_id) REFERENCES payments(home, id)
) with (fillfactor=70);
CREATE INDEX provider_charges_due ON provider_charges (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX provider_charges_rechecks ON provider_charges (recheck_at) WHERE (recheck_at IS NOT NULL);
CREATE TRIGGER provider_charges_attempts_never_fall BEFORE UPDATE OF attempts ON provider_charges FOR EACH ROW WHEN ((new.attempts < old.attempts)) EXECUTE FUNCTION refuse_fewer_attempts();
-- malipo_service: delete, insert, select, update

create table provider_inbox (
  provider text not null,
  environment text not null,
  event_id text collate "C" not null,
  body_hash bytea not null,
  body text not null,
  state text not null default 'received',
  home smallint,
  payment_id uuid,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  request_id text not null,
  received_at timestamptz(3) not null default clock_now(),
  settled_at timestamptz(3),
  leased_by uuid,
  deaths integer not null default 0,
  paid_amount bigint,
  constraint provider_inbox_pkey PRIMARY KEY (provider, environment, event_id),
  constraint provider_inbox_applied_names_subject CHECK ((((state = ANY (ARRAY['settled', 'asked'])) = (settled_at IS NOT NULL)) AND ((state = ANY (ARRAY['settled', 'asked'])) OR (payment_id IS NULL)) AND ((state <> 'asked') OR (payment_id IS NOT NULL)) AND ((payment_id IS NULL) OR (home IS NOT NULL)))),
  constraint provider_inbox_state_known CHECK ((state = ANY (ARRAY['received', 'settled', 'asked', 'ignored', 'orphan'])))
) with (fillfactor=70);
CREATE INDEX provider_inbox_by_payment ON provider_inbox (home, payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX provider_inbox_done ON provider_inbox (state, received_at) WHERE (state <> 'received');
CREATE INDEX provider_inbox_due ON provider_inbox (next_attempt_at) WHERE (state = 'received');
CREATE INDEX provider_inbox_left ON provider_inbox (received_at) WHERE (state = 'orphan');
CREATE INDEX provider_inbox_paid_to_nobody ON provider_inbox (received_at) WHERE ((paid_amount IS NOT NULL) AND (payment_id IS NULL) AND (state = ANY (ARRAY['settled', 'ignored'])));
-- malipo_service: delete, insert, select, update

create table provider_movements (
  id uuid not null,
  provider text not null,
  environment text not null,
  kind text not null,
  amount bigint not null,
  reference text collate "C" not null,
  note text not null,
  recorded_by text not null,
  recorded_at timestamptz(3) not null default clock_now(),
  constraint provider_movements_pkey PRIMARY KEY (id),
  constraint provider_movements_once UNIQUE (provider, environment, reference),
  constraint provider_movements_amount_has_sign CHECK ( CASE kind WHEN 'opening' THEN (amount >= 0) WHEN 'top_up' THEN (amount > 0) WHEN 'withdrawal' THEN (amount < 0) ELSE (amount <> 0) END),
  constraint provider_movements_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint provider_movements_kind_known CHECK ((kind = ANY (ARRAY['opening', 'top_up', 'withdrawal', 'correction'])))
);
CREATE UNIQUE INDEX provider_movements_one_opening ON provider_movements (provider, environment) WHERE (kind = 'opening');
CREATE TRIGGER provider_movements_seal_delete AFTER DELETE ON provider_movements REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER provider_movements_seal_insert AFTER INSERT ON provider_movements REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER provider_movements_seal_update AFTER UPDATE ON provider_movements REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: insert, select

create table provider_payouts (
  home smallint not null,
  payout_id uuid not null,
  provider text not null,
  environment text not null,
  state text not null default 'queued',
  idempotency_key text not null,
  request_body text not null,
  provider_reference text collate "C",
  attempts integer not null default 0,
  next_attempt_at timestamptz(3),
  first_sent_at timestamptz(3),
  updated_at timestamptz(3) not null default clock_now(),
  order_mac text,
  is_batch boolean not null default false,
  approval_mac text,
  constraint provider_payouts_pkey PRIMARY KEY (home, payout_id),
  constraint provider_payouts_accepted_has_reference CHECK (((state <> 'accepted') OR (provider_reference IS NOT NULL))),
  constraint provider_payouts_key_short CHECK ((octet_length(idempotency_key) <= 30)),
  constraint provider_payouts_sent_has_time CHECK (((state = ANY (ARRAY['queued', 'withdrawn'])) OR (first_sent_at IS NOT NULL))),
  constraint provider_payouts_state_known CHECK ((state = ANY (ARRAY['queued', 'claimed', 'unsent', 'deferred', 'unknown', 'accepted', 'rejected', 'withdrawn']))),
  constraint provider_payouts_payout FOREIGN KEY (home, payout_id) REFERENCES payouts(home, id)
);
CREATE INDEX provider_payouts_batch_sent ON provider_payouts (provider, environment, next_attempt_at) WHERE ((next_attempt_at IS NOT NULL) AND is_batch AND (state <> ALL (ARRAY['queued', 'unsent', 'deferred'])));
CREATE INDEX provider_payouts_batch_unsent ON provider_payouts (provider, environment, next_attempt_at) WHERE ((next_attempt_at IS NOT NULL) AND is_batch AND (state = ANY (ARRAY['queued', 'unsent', 'deferred'])));
CREATE INDEX provider_payouts_due ON provider_payouts (next_attempt_at) WHERE ((next_attempt_at IS NOT NULL) AND (NOT is_batch));
CREATE UNIQUE INDEX provider_payouts_one_per_reference ON provider_payouts (provider, environment, provider_reference) WHERE (provider_reference IS NOT NULL);
CREATE TRIGGER outside_has_no_order AFTER INSERT ON provider_payouts REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION refuse_outside_order();
CREATE TRIGGER provider_payouts_attempts_never_fall BEFORE UPDATE OF attempts ON provider_payouts FOR EACH ROW WHEN ((new.attempts < old.attempts)) EXECUTE FUNCTION refuse_fewer_attempts();
CREATE TRIGGER provider_payouts_bind_their_record AFTER UPDATE OF provider_reference ON provider_payouts FOR EACH ROW WHEN ((new.provider_reference IS NOT NULL)) EXECUTE FUNCTION bind_payout_record();
CREATE TRIGGER provider_payouts_seal_delete AFTER DELETE ON provider_payouts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER provider_payouts_seal_insert AFTER INSERT ON provider_payouts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER provider_payouts_seal_update AFTER UPDATE ON provider_payouts REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table provider_positions (
  provider text not null,
  environment text not null,
  home smallint not null,
  seq bigint not null,
  amount bigint not null,
  unnamed bigint not null,
  unnamed_count bigint not null,
  constraint provider_positions_pkey PRIMARY KEY (home, provider, environment)
);
-- malipo_service: delete, insert, select, update

create table provider_references (
  provider text not null,
  environment text not null,
  reference text collate "C" not null,
  home smallint not null,
  payment_id uuid,
  payout_id uuid,
  break_id uuid,
  constraint provider_references_pkey PRIMARY KEY (provider, environment, reference),
  constraint provider_references_one_owner CHECK ((num_nonnulls(payment_id, payout_id, break_id) = 1))
);
CREATE INDEX provider_references_of_breaks ON provider_references (break_id) WHERE (break_id IS NOT NULL);
-- malipo_service: delete, insert, select, update

create table rate_limits (
  key text collate "C" not null,
  points integer not null default 0,
  expire bigint,
  constraint rate_limits_pkey PRIMARY KEY (key)
) with (fillfactor=70);
CREATE INDEX rate_limits_by_expiry ON rate_limits (expire);
-- malipo_service: delete, insert, select, update

create table receipt_sweep (
  one boolean not null default true,
  swept_until timestamptz(3) not null default clock_now(),
  constraint receipt_sweep_pkey PRIMARY KEY (one),
  constraint receipt_sweep_is_one CHECK (one)
);
-- malipo_service: delete, insert, select, update

create table receipts (
  home smallint not null,
  event_id uuid not null,
  outcome text not null,
  created_at timestamptz(3) not null default clock_now(),
  page_id uuid,
  constraint receipts_pkey PRIMARY KEY (home, event_id),
  constraint receipts_outcome_known CHECK ((outcome = ANY (ARRAY['mailed', 'no_address', 'too_many', 'not_wanted']))),
  constraint receipts_event FOREIGN KEY (home, event_id) REFERENCES events(home, id)
);
CREATE INDEX receipts_mailed_by_page ON receipts (page_id, created_at) WHERE (outcome = 'mailed');
-- malipo_service: delete, insert, select, update

create table recipients (
  home smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  name text not null,
  phone_number text not null,
  network text,
  created_by text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  constraint recipients_pkey PRIMARY KEY (home, id),
  constraint recipients_one_per_number UNIQUE (home, merchant_id, environment, phone_number),
  constraint recipients_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint recipients_named CHECK ((name <> '')),
  constraint recipients_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint recipients_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX recipients_by_merchant ON recipients (home, merchant_id, environment, created_at DESC, id DESC);
CREATE INDEX recipients_by_phone ON recipients (phone_number);
CREATE TRIGGER recipients_seal_delete AFTER DELETE ON recipients REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER recipients_seal_insert AFTER INSERT ON recipients REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER recipients_seal_update AFTER UPDATE ON recipients REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table reconciliation_records (
  run_id uuid not null,
  reference text collate "C" not null,
  in_day boolean not null,
  network text,
  status text not null,
  amount bigint,
  home smallint,
  subject_id uuid,
  outcome text not null,
  constraint reconciliation_records_pkey PRIMARY KEY (run_id, reference),
  constraint reconciliation_records_outcome_known CHECK ((outcome = ANY (ARRAY['matched', 'repaired', 'break', 'unreadable', 'idle', 'missing']))),
  constraint reconciliation_records_run_id_fkey FOREIGN KEY (run_id) REFERENCES reconciliation_runs(id)
);
CREATE INDEX reconciliation_records_missing ON reconciliation_records (run_id, reference) WHERE (outcome = 'missing');
-- malipo_service: delete, insert, select, update

create table reconciliation_runs (
  id uuid not null,
  kind text not null,
  subject text not null,
  environment text not null,
  provider text not null,
  day date,
  due_at timestamptz(3) not null,
  requested_by text not null,
  phase text not null default 'due',
  next_page integer not null default 0,
  after_id uuid,
  list_from timestamptz(3),
  leased_by uuid,
  lease_until timestamptz(3),
  next_attempt_at timestamptz(3),
  attempts integer not null default 0,
  calls integer not null default 0,
  seen integer not null default 0,
  matched integer not null default 0,
  repaired integer not null default 0,
  breaks integer not null default 0,
  unreadable integer not null default 0,
  by_network jsonb not null default '{}'::jsonb,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  restore_id uuid,
  constraint reconciliation_runs_pkey PRIMARY KEY (id),
  constraint reconciliation_runs_one_per_tick UNIQUE (kind, subject, environment, provider, due_at),
  constraint reconciliation_runs_day_is_daily CHECK (((kind = 'daily') = (day IS NOT NULL))),
  constraint reconciliation_runs_ended_has_time CHECK (((phase = 'ended') = (ended_at IS NOT NULL))),
  constraint reconciliation_runs_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint reconciliation_runs_kind_known CHECK ((kind = ANY (ARRAY['recent', 'late', 'daily', 'weekly', 'balance']))) NOT VALID,
  constraint reconciliation_runs_phase_known CHECK ((phase = ANY (ARRAY['due', 'asking', 'listing', 'missing', 'ended']))),
  constraint reconciliation_runs_subject_known CHECK ((subject = ANY (ARRAY['charges', 'payouts']))),
  constraint reconciliation_runs_restore FOREIGN KEY (restore_id) REFERENCES restores(id)
);
CREATE INDEX reconciliation_runs_by_day ON reconciliation_runs (subject, environment, provider, day) WHERE (kind = 'daily');
CREATE INDEX reconciliation_runs_by_id ON reconciliation_runs (id DESC);
CREATE INDEX reconciliation_runs_ended ON reconciliation_runs (ended_at) WHERE (kind = 'daily');
CREATE INDEX reconciliation_runs_of_restore ON reconciliation_runs (restore_id) WHERE (restore_id IS NOT NULL);
CREATE UNIQUE INDEX reconciliation_runs_one_at_a_time ON reconciliation_runs (kind, subject, environment, provider) WHERE ((leased_by IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX reconciliation_runs_open ON reconciliation_runs (due_at) WHERE (ended_at IS NULL);
CREATE TRIGGER reconciliation_runs_seal_delete AFTER DELETE ON reconciliation_runs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER reconciliation_runs_seal_insert AFTER INSERT ON reconciliation_runs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER reconciliation_runs_seal_update AFTER UPDATE ON reconciliation_runs REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER reconciliation_runs_tell_insert AFTER INSERT ON reconciliation_runs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('reconciliation');
CREATE TRIGGER reconciliation_runs_tell_update AFTER UPDATE ON reconciliation_runs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('reconciliation');
-- malipo_service: delete, insert, select, update

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  used_at timestamptz(3),
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_hash_length CHECK ((octet_length(code_hash) = 32)),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
-- malipo_service: delete, insert, select, update

create table redirect_hosts (
  merchant_id uuid not null,
  environment text not null,
  host text collate "C" not null,
  token text not null,
  proved_by text,
  proved_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  constraint redirect_hosts_pkey PRIMARY KEY (merchant_id, environment, host),
  constraint redirect_hosts_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint redirect_hosts_host_is_lower CHECK (((host = lower(host)) AND ((length(host) >= 1) AND (length(host) <= 260)))),
  constraint redirect_hosts_proof_dated CHECK (((proved_by IS NULL) = (proved_at IS NULL))),
  constraint redirect_hosts_proof_known CHECK ((proved_by = ANY (ARRAY['dns', 'file', 'not_needed']))),
  constraint redirect_hosts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE TRIGGER redirect_hosts_seal_delete AFTER DELETE ON redirect_hosts REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER redirect_hosts_seal_insert AFTER INSERT ON redirect_hosts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER redirect_hosts_seal_update AFTER UPDATE ON redirect_hosts REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table release_code_start (
  is_only boolean not null default true,
  started_at timestamptz(3) not null default clock_now(),
  constraint release_code_start_pkey PRIMARY KEY (is_only),
  constraint release_code_start_one_row CHECK (is_only)
);
CREATE TRIGGER release_code_start_seal_delete AFTER DELETE ON release_code_start REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER release_code_start_seal_insert AFTER INSERT ON release_code_start REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER release_code_start_seal_update AFTER UPDATE ON release_code_start REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: select, insert (is_only)

create table restores (
  id uuid not null,
  restored_to timestamptz(3) not null,
  noted_at timestamptz(3) not null default clock_now(),
  noted_by text not null,
  planned_at timestamptz(3),
  ended_at timestamptz(3),
  forced_by text,
  forced_reason text,
  constraint restores_pkey PRIMARY KEY (id),
  constraint restores_force_is_whole CHECK (((num_nonnulls(forced_by, forced_reason) = ANY (ARRAY[0, 2])) AND ((forced_by IS NULL) OR (ended_at IS NOT NULL))))
);
CREATE TRIGGER restores_seal_delete AFTER DELETE ON restores REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER restores_seal_insert AFTER INSERT ON restores REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER restores_seal_update AFTER UPDATE ON restores REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: insert, select, update

create table retention_turns (
  rule text not null,
  next_at timestamptz(3) not null default clock_now(),
  lease_until timestamptz(3),
  "position" text,
  ended_at timestamptz(3),
  removed bigint not null default 0,
  constraint retention_turns_pkey PRIMARY KEY (rule),
  constraint retention_turns_removed_not_negative CHECK ((removed >= 0))
);
-- malipo_service: delete, insert, select, update

create table review_claims (
  merchant_id uuid not null,
  reviewer_id uuid not null,
  claimed_at timestamptz(3) not null default clock_now(),
  constraint review_claims_pkey PRIMARY KEY (merchant_id),
  constraint review_claims_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES verifications(merchant_id),
  constraint review_claims_reviewer_id_fkey FOREIGN KEY (reviewer_id) REFERENCES users(id)
);
CREATE INDEX review_claims_by_reviewer ON review_claims (reviewer_id);
CREATE TRIGGER review_claims_tell_delete AFTER DELETE ON review_claims REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('reviews');
CREATE TRIGGER review_claims_tell_insert AFTER INSERT ON review_claims REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('reviews');
CREATE TRIGGER review_claims_tell_update AFTER UPDATE ON review_claims REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('reviews');
-- malipo_service: delete, insert, select, update

create table row_seals (
  what text collate "C" not null,
  id text collate "C" not null,
  digest bytea not null,
  sealed_at timestamptz(3) not null,
  constraint row_seals_pkey PRIMARY KEY (what, id)
);
CREATE INDEX row_seals_recent ON row_seals (what, sealed_at);
-- malipo_service: select

create table saved_filters (
  id uuid not null,
  user_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  list text not null,
  name text collate "C" not null,
  status text,
  network text,
  page_id uuid,
  min_amount bigint,
  max_amount bigint,
  period text,
  first_day date,
  last_day date,
  created_at timestamptz(3) not null default clock_now(),
  constraint saved_filters_pkey PRIMARY KEY (id),
  constraint saved_filters_one_per_name UNIQUE (user_id, merchant_id, environment, list, name),
  constraint saved_filters_amounts_in_order CHECK (((min_amount >= 0) AND (max_amount >= 0) AND (min_amount <= max_amount))),
  constraint saved_filters_days_in_order CHECK ((first_day <= last_day)),
  constraint saved_filters_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint saved_filters_fields_of_list CHECK (((list = 'payments') OR (num_nonnulls(network, page_id, min_amount, max_amount) = 0))),
  constraint saved_filters_list_known CHECK ((list = ANY (ARRAY['payments', 'payouts']))),
  constraint saved_filters_name_is_short CHECK (((char_length(name) >= 1) AND (char_length(name) <= 40))),
  constraint saved_filters_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint saved_filters_not_empty CHECK ((num_nonnulls(status, network, page_id, min_amount, max_amount, period, first_day, last_day) > 0)),
  constraint saved_filters_period_known CHECK ((period = ANY (ARRAY['today', 'last_7_days', 'last_30_days', 'this_month', 'last_month']))),
  constraint saved_filters_period_or_days CHECK (((period IS NULL) OR (num_nonnulls(first_day, last_day) = 0))),
  constraint saved_filters_status_of_list CHECK ( CASE list WHEN 'payments' THEN (status = ANY (ARRAY['pending', 'processing', 'completed', 'failed', 'voided', 'expired'])) ELSE (status = ANY (ARRAY['pending', 'processing', 'completed', 'failed', 'reversed', 'cancelled'])) END),
  constraint saved_filters_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint saved_filters_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX saved_filters_of_merchant ON saved_filters (merchant_id);
-- malipo_service: delete, insert, select, update

create table sealed_spans (
  what text not null,
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null,
  row_count bigint not null,
  digest bytea not null,
  sealed_at timestamptz(3) not null,
  constraint sealed_spans_pkey PRIMARY KEY (what, from_at),
  constraint sealed_spans_digest_length CHECK ((octet_length(digest) = 32)),
  constraint sealed_spans_goes_forward CHECK ((from_at < to_at)),
  constraint sealed_spans_what_known CHECK ((what = ANY (ARRAY['ledger_transfers', 'breaks_of_transfers', 'payments', 'events', 'payouts'])))
);
CREATE TRIGGER sealed_spans_seal_delete AFTER DELETE ON sealed_spans REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER sealed_spans_seal_insert AFTER INSERT ON sealed_spans REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER sealed_spans_seal_update AFTER UPDATE ON sealed_spans REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select

create table sealed_tables (
  name text collate "C" not null,
  key text[] not null,
  covers text[] not null,
  moves_money boolean not null,
  read_to text,
  complete_at timestamptz(3),
  constraint sealed_tables_pkey PRIMARY KEY (name)
);
CREATE TRIGGER sealed_tables_seal_delete AFTER DELETE ON sealed_tables REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER sealed_tables_seal_insert AFTER INSERT ON sealed_tables FOR EACH ROW EXECUTE FUNCTION seal_rows();
CREATE TRIGGER sealed_tables_seal_update AFTER UPDATE OF name, key, covers, moves_money, complete_at ON sealed_tables FOR EACH ROW WHEN ((((((old.name IS DISTINCT FROM new.name) OR (old.key IS DISTINCT FROM new.key)) OR (old.covers IS DISTINCT FROM new.covers)) OR (old.moves_money IS DISTINCT FROM new.moves_money)) OR (old.complete_at IS DISTINCT FROM new.complete_at))) EXECUTE FUNCTION seal_rows();
-- malipo_service: select

create table second_factors (
  user_id uuid not null,
  sealed_secret text,
  confirmed_at timestamptz(3),
  last_step bigint,
  pending_sealed_secret text,
  pending_since timestamptz(3),
  failures integer not null default 0,
  last_failed_at timestamptz(3),
  locked_until timestamptz(3),
  wrong_tries integer not null default 0,
  locks integer not null default 0,
  lock_mailed_at timestamptz(3),
  removed_at timestamptz,
  recovery_failures integer not null default 0,
  recovery_failed_at timestamptz(3),
  recovery_locked_until timestamptz(3),
  constraint second_factors_pkey PRIMARY KEY (user_id),
  constraint second_factors_confirmed_with_secret CHECK (((confirmed_at IS NULL) = (sealed_secret IS NULL))),
  constraint second_factors_failures_counted CHECK ((failures >= 0)),
  constraint second_factors_locks_counted CHECK ((locks >= 0)),
  constraint second_factors_pending_with_time CHECK (((pending_since IS NULL) = (pending_sealed_secret IS NULL))),
  constraint second_factors_recovery_failures_counted CHECK ((recovery_failures >= 0)),
  constraint second_factors_wrong_tries_counted CHECK ((wrong_tries >= 0)),
  constraint second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE TRIGGER second_factors_seal_delete AFTER DELETE ON second_factors REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER second_factors_seal_insert AFTER INSERT ON second_factors REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER second_factors_seal_update AFTER UPDATE ON second_factors REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table second_step_orders (
  subject uuid not null,
  name text not null,
  mode text not null,
  reason text not null,
  ordered_by text not null,
  ordered_at timestamptz(3) not null,
  constraint second_step_orders_pkey PRIMARY KEY (subject),
  constraint second_step_orders_mode_known CHECK ((mode = ANY (ARRAY['on', 'off'])))
);
CREATE TRIGGER second_step_orders_seal_delete AFTER DELETE ON second_step_orders REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER second_step_orders_seal_insert AFTER INSERT ON second_step_orders REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER second_step_orders_seal_update AFTER UPDATE ON second_step_orders REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table sessions (
  id uuid not null,
  user_id uuid not null,
  amr text[] not null,
  generation integer not null default 0,
  refresh_hash bytea not null,
  rotated_at timestamptz(3) not null default clock_now(),
  idle_expires_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_reason text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  last_used_at timestamptz(3) not null default clock_now(),
  authenticated_at timestamptz(3) not null default clock_now(),
  device_since timestamptz,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX sessions_by_user ON sessions (user_id, created_at DESC);
CREATE TRIGGER sessions_tell_insert AFTER INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION tell_sessions();
CREATE TRIGGER sessions_tell_update AFTER UPDATE ON sessions FOR EACH ROW WHEN (((new.revoked_at IS DISTINCT FROM old.revoked_at) OR (new.amr IS DISTINCT FROM old.amr))) EXECUTE FUNCTION tell_sessions();
-- malipo_service: delete, insert, select, update

create table sign_in_challenges (
  token_hash bytea not null,
  user_id uuid not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  user_agent text,
  constraint sign_in_challenges_pkey PRIMARY KEY (token_hash),
  constraint sign_in_challenges_hash_length CHECK ((octet_length(token_hash) = 32)),
  constraint sign_in_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sign_in_challenges_by_end ON sign_in_challenges (expires_at);
CREATE INDEX sign_in_challenges_by_user ON sign_in_challenges (user_id);
-- malipo_service: delete, insert, select, update

create table statement_schedules (
  user_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  frequency text not null,
  language text not null,
  next_on date not null,
  mailed_until date,
  failed_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  constraint statement_schedules_pkey PRIMARY KEY (user_id, merchant_id, environment),
  constraint statement_schedules_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint statement_schedules_frequency_known CHECK ((frequency = ANY (ARRAY['daily', 'weekly', 'monthly']))),
  constraint statement_schedules_language_known CHECK ((language = ANY (ARRAY['sw', 'en']))),
  constraint statement_schedules_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint statement_schedules_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX statement_schedules_due ON statement_schedules (next_on);
CREATE TRIGGER statement_schedules_seal_delete AFTER DELETE ON statement_schedules REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER statement_schedules_seal_insert AFTER INSERT ON statement_schedules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER statement_schedules_seal_update AFTER UPDATE ON statement_schedules REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table submitted_documents (
  merchant_id uuid not null,
  purpose text not null,
  document_id uuid not null,
  sha256 bytea not null,
  constraint submitted_documents_pkey PRIMARY KEY (merchant_id, purpose),
  constraint submitted_documents_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES verifications(merchant_id),
  constraint submitted_documents_pinned FOREIGN KEY (document_id, merchant_id, purpose, sha256) REFERENCES documents(id, merchant_id, purpose, sha256)
);
CREATE TRIGGER submitted_documents_seal_delete AFTER DELETE ON submitted_documents REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER submitted_documents_seal_insert AFTER INSERT ON submitted_documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER submitted_documents_seal_update AFTER UPDATE ON submitted_documents REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table summed_days (
  day date not null,
  summed_at timestamptz(3) not null,
  constraint summed_days_pkey PRIMARY KEY (day)
);
-- malipo_service: insert, select

create table support_case_answers (
  home smallint not null,
  case_id uuid not null,
  place smallint not null,
  answer text not null,
  reason text,
  provider text not null,
  provider_reference text,
  provider_status text,
  amount bigint,
  network_receipt text,
  answered_at timestamptz(3) not null default clock_now(),
  constraint support_case_answers_pkey PRIMARY KEY (home, case_id, place),
  constraint support_case_answers_kind_known CHECK ((answer = ANY (ARRAY['found', 'not_found', 'indeterminate', 'not_asked']))),
  constraint support_case_answers_case FOREIGN KEY (home, case_id) REFERENCES support_cases(home, id)
);
CREATE TRIGGER support_case_answers_seal_delete AFTER DELETE ON support_case_answers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER support_case_answers_seal_insert AFTER INSERT ON support_case_answers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER support_case_answers_seal_update AFTER UPDATE ON support_case_answers REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: delete, insert, select, update

create table support_case_transitions (
  from_state text not null,
  to_state text not null,
  constraint support_case_transitions_pkey PRIMARY KEY (from_state, to_state)
);
-- malipo_service: delete, insert, select, update

create table support_cases (
  home smallint not null,
  id uuid not null,
  payment_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  state text not null default 'open',
  sms_number text collate "C",
  claimed_amount bigint,
  claimed_phone text,
  claimed_time text,
  words text,
  email text,
  payer_language text not null,
  finding text,
  proven_at timestamptz(3),
  escalated_because text,
  escalated_at timestamptz(3),
  number_owner_id uuid,
  questions smallint not null default 0,
  next_attempt_at timestamptz(3) default clock_now(),
  first_outcome_at timestamptz(3),
  decision text,
  decision_note text,
  decision_message text,
  decided_by text,
  decided_at timestamptz(3),
  request_id text not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  next_look_at timestamptz(3),
  has_proof boolean not null default true,
  constraint support_cases_pkey PRIMARY KEY (home, id),
  constraint support_cases_one_per_number UNIQUE (home, payment_id, sms_number),
  constraint support_cases_answer_is_proven CHECK (((state <> 'answered') OR (finding IS NOT NULL))),
  constraint support_cases_closed_is_decided CHECK (((state = 'closed') = (decision IS NOT NULL))),
  constraint support_cases_decision_complete CHECK ((((decision IS NULL) = (decided_by IS NULL)) AND ((decision IS NULL) = (decided_at IS NULL)) AND ((decision IS NULL) = (decision_note IS NULL)))),
  constraint support_cases_decision_known CHECK ((decision = ANY (ARRAY['received', 'no_money', 'other']))),
  constraint support_cases_ended_is_not_asked CHECK (((state <> ALL (ARRAY['answered', 'closed'])) OR (next_attempt_at IS NULL))),
  constraint support_cases_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint support_cases_escalated_has_reason CHECK (((state <> ALL (ARRAY['with_operators', 'closed'])) OR ((escalated_because IS NOT NULL) AND (escalated_at IS NOT NULL)))),
  constraint support_cases_finding_has_time CHECK (((finding IS NULL) = (proven_at IS NULL))),
  constraint support_cases_finding_known CHECK ((finding = ANY (ARRAY['received', 'no_money']))),
  constraint support_cases_language_known CHECK ((payer_language = ANY (ARRAY['sw', 'en']))),
  constraint support_cases_number_printable CHECK ((sms_number ~ '^[0-9A-Z]{6,32}$')),
  constraint support_cases_open_is_asked CHECK (((state <> ALL (ARRAY['open', 'asking'])) OR (next_attempt_at IS NOT NULL))),
  constraint support_cases_reason_known CHECK ((escalated_because = ANY (ARRAY['still_open', 'not_found', 'not_proven', 'no_answer', 'money_held', 'number_differs', 'number_of_another', 'payer_disagrees']))),
  constraint support_cases_state_known CHECK ((state = ANY (ARRAY['open', 'asking', 'answered', 'with_operators', 'closed']))),
  constraint support_cases_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id),
  constraint support_cases_payment FOREIGN KEY (home, payment_id) REFERENCES payments(home, id)
);
CREATE INDEX support_cases_by_claimed_phone ON support_cases (claimed_phone) WHERE (claimed_phone IS NOT NULL);
CREATE INDEX support_cases_by_number ON support_cases (sms_number) WHERE (sms_number IS NOT NULL);
CREATE INDEX support_cases_by_state ON support_cases (state, id);
CREATE INDEX support_cases_due ON support_cases (next_attempt_at) WHERE (next_attempt_at IS NOT NULL);
CREATE INDEX support_cases_looks ON support_cases (COALESCE(next_look_at, created_at)) WHERE ((finding IS DISTINCT FROM 'received') AND (state <> 'closed'));
CREATE INDEX support_cases_old ON support_cases (updated_at) WHERE (state = ANY (ARRAY['answered', 'closed']));
CREATE INDEX support_cases_unpaid ON support_cases (home, payment_id) WHERE (finding IS DISTINCT FROM 'received');
CREATE TRIGGER support_cases_seal_delete AFTER DELETE ON support_cases REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER support_cases_seal_insert AFTER INSERT ON support_cases REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER support_cases_seal_update AFTER UPDATE ON support_cases REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER support_cases_tell_insert AFTER INSERT ON support_cases FOR EACH ROW EXECUTE FUNCTION tell_cases();
CREATE TRIGGER support_cases_tell_update AFTER UPDATE ON support_cases FOR EACH ROW WHEN (((new.state IS DISTINCT FROM old.state) OR (new.updated_at IS DISTINCT FROM old.updated_at) OR (new.sms_number IS DISTINCT FROM old.sms_number))) EXECUTE FUNCTION tell_cases();
-- malipo_service: delete, insert, select, update

create table support_contacts (
  merchant_id uuid not null,
  phone text,
  email text,
  whatsapp text,
  changed_by text not null,
  updated_at timestamptz(3) not null default clock_now(),
  constraint support_contacts_pkey PRIMARY KEY (merchant_id),
  constraint support_contacts_email_is_one CHECK (((email ~ '^[^\s@]+@[^\s@]+$') AND (char_length(email) <= 254))),
  constraint support_contacts_not_empty CHECK (((phone IS NOT NULL) OR (email IS NOT NULL) OR (whatsapp IS NOT NULL))),
  constraint support_contacts_phone_e164 CHECK ((phone ~ '^\+[1-9][0-9]{7,14}$')),
  constraint support_contacts_whatsapp_e164 CHECK ((whatsapp ~ '^\+[1-9][0-9]{7,14}$')),
  constraint support_contacts_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
-- malipo_service: delete, insert, select, update

create table switches (
  name text not null,
  is_on boolean not null default true,
  reason text,
  changed_by text,
  changed_at timestamptz(3),
  constraint switches_pkey PRIMARY KEY (name),
  constraint switches_name_known CHECK ((name ~ '^(payouts|(test|live)\.(checkout|payouts)(\.(mpesa|airtel|mixx|halotel))?)$')),
  constraint switches_off_says_who_and_why CHECK ((is_on OR ((reason IS NOT NULL) AND (changed_by IS NOT NULL) AND (changed_at IS NOT NULL))))
);
CREATE TRIGGER switches_seal_delete AFTER DELETE ON switches REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER switches_seal_insert AFTER INSERT ON switches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER switches_seal_update AFTER UPDATE ON switches REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER switches_tell_insert AFTER INSERT ON switches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('switches');
CREATE TRIGGER switches_tell_update AFTER UPDATE ON switches REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_operators('switches');
-- malipo_service: delete, insert, select, update

create table unfinished_objects (
  key text collate "C" not null,
  since timestamptz(3) not null default clock_now(),
  constraint unfinished_objects_pkey PRIMARY KEY (key)
);
-- malipo_service: delete, insert, select, update

create table users (
  id uuid not null,
  full_name text not null,
  email text collate "C" not null,
  phone_number text,
  password_hash text not null,
  student_id text,
  institution text,
  role text not null default 'student',
  disabled_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  email_verified_at timestamptz(3),
  registration_mailed_at timestamptz,
  password_reset_at timestamptz,
  contact_changed_at timestamptz,
  was_invited boolean not null default false,
  is_representative boolean,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_unique UNIQUE (email),
  constraint users_phone_unique UNIQUE (phone_number),
  constraint users_email_lower_case CHECK ((email = lower(email))),
  constraint users_role_known CHECK ((role = ANY (ARRAY['student', 'admin']))),
  constraint users_students_complete CHECK (((role = 'admin') OR ((phone_number IS NOT NULL) AND (was_invited OR COALESCE(is_representative, false) OR ((student_id IS NOT NULL) AND (institution IS NOT NULL))))))
);
CREATE INDEX users_by_email_beginning ON users (email text_pattern_ops);
CREATE INDEX users_by_folded_name ON users (fold_text(full_name) text_pattern_ops);
CREATE TRIGGER users_seal_delete AFTER DELETE ON users REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER users_seal_insert AFTER INSERT ON users REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER users_seal_update AFTER UPDATE ON users REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER users_tell_update AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION tell_person();
-- malipo_service: delete, insert, select, update

create table verification_history (
  merchant_id uuid not null,
  version integer not null,
  action text not null,
  from_status text not null,
  to_status text not null,
  reason text,
  package jsonb,
  actor_user_id uuid,
  request_id text not null,
  at timestamptz(3) not null default clock_now(),
  constraint verification_history_pkey PRIMARY KEY (merchant_id, version),
  constraint verification_history_action_known CHECK ((action = ANY (ARRAY['submitted', 'changed', 'verified', 'rejected']))),
  constraint verification_history_outcome CHECK ((to_status = CASE WHEN (action = ANY (ARRAY['verified', 'rejected'])) THEN action ELSE 'pending' END)),
  constraint verification_history_package CHECK (((action = ANY (ARRAY['submitted', 'changed'])) = (package IS NOT NULL))),
  constraint verification_history_rejected_says_why CHECK (((action <> 'rejected') OR (reason IS NOT NULL))),
  constraint verification_history_reviewers_move CHECK (((actor_user_id IS NULL) OR (action <> ALL (ARRAY['verified', 'rejected'])) OR (from_status = 'pending') OR ((from_status = 'verified') AND (to_status = 'rejected')))),
  constraint verification_history_actor_user_id_fkey FOREIGN KEY (actor_user_id) REFERENCES users(id),
  constraint verification_history_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES verifications(merchant_id),
  constraint verification_history_move FOREIGN KEY (from_status, to_status) REFERENCES verification_moves(from_status, to_status)
);
CREATE TRIGGER verification_history_seal_delete AFTER DELETE ON verification_history REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER verification_history_seal_insert AFTER INSERT ON verification_history REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER verification_history_seal_update AFTER UPDATE ON verification_history REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
-- malipo_service: insert, select

create table verification_moves (
  from_status text not null,
  to_status text not null,
  constraint verification_moves_pkey PRIMARY KEY (from_status, to_status)
);
-- malipo_service: select

create table verifications (
  merchant_id uuid not null,
  stage text not null default 'draft',
  version integer not null default 0,
  rejection_reason text,
  submitted_at timestamptz(3),
  decided_at timestamptz(3),
  verified_at timestamptz(3),
  problems jsonb,
  constraint verifications_pkey PRIMARY KEY (merchant_id),
  constraint verifications_decided_has_time CHECK (((stage <> 'decided') OR (decided_at IS NOT NULL))),
  constraint verifications_problems_are_a_list CHECK ((jsonb_typeof(problems) = 'array')),
  constraint verifications_reason_of_a_decision CHECK (((rejection_reason IS NULL) OR (stage = 'decided'))),
  constraint verifications_stage_known CHECK ((stage = ANY (ARRAY['draft', 'submitted', 'decided']))),
  constraint verifications_submitted_has_time CHECK (((stage <> 'submitted') OR (submitted_at IS NOT NULL))),
  constraint verifications_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX verifications_by_stage ON verifications (stage, submitted_at);
CREATE INDEX verifications_waiting ON verifications (submitted_at, merchant_id) WHERE (stage = 'submitted');
CREATE CONSTRAINT TRIGGER verifications_are_told AFTER INSERT OR UPDATE ON verifications DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION verifications_are_told();
CREATE TRIGGER verifications_go_on BEFORE UPDATE ON verifications FOR EACH ROW EXECUTE FUNCTION verifications_go_on();
CREATE TRIGGER verifications_seal_delete AFTER DELETE ON verifications REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER verifications_seal_insert AFTER INSERT ON verifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER verifications_seal_update AFTER UPDATE ON verifications REFERENCING OLD TABLE AS was NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER verifications_tell_insert AFTER INSERT ON verifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_merchants('account');
CREATE TRIGGER verifications_tell_update AFTER UPDATE ON verifications REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_merchants('account');
-- malipo_service: insert, select, update

create table wallet_days (
  home smallint not null,
  merchant_id uuid not null,
  environment text not null,
  day date not null,
  page_id uuid,
  page_kind text not null,
  network text,
  payments bigint not null,
  amount bigint not null,
  constraint wallet_days_one_per_page_and_network UNIQUE NULLS NOT DISTINCT (home, merchant_id, environment, day, page_id, page_kind, network),
  constraint wallet_days_environment_known CHECK ((environment = ANY (ARRAY['test', 'live']))),
  constraint wallet_days_has_payments CHECK (((payments > 0) AND (amount > 0))),
  constraint wallet_days_network_known CHECK ((network = ANY (ARRAY['mpesa', 'airtel', 'mixx', 'halotel']))),
  constraint wallet_days_page_kind_known CHECK ((page_kind = ANY (ARRAY['page', 'request', 'direct']))),
  constraint wallet_days_page_named CHECK (((page_kind = 'page') = (page_id IS NOT NULL))),
  constraint wallet_days_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
);
CREATE INDEX wallet_days_by_day ON wallet_days (day, home);
-- malipo_service: insert, select

create table webhook_attempts (
  home smallint not null,
  id uuid not null,
  delivery_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  endpoint_id uuid not null,
  app_id uuid not null,
  url text not null,
  attempt integer not null,
  trigger text not null,
  outcome text not null,
  response_status integer,
  response_body text,
  error_code text,
  duration_ms integer not null,
  attempted_at timestamptz(3) not null default clock_now(),
  next_attempt_at timestamptz(3),
  constraint webhook_attempts_pkey PRIMARY KEY (home, id),
  constraint webhook_attempts_failed_has_error CHECK (((outcome = 'failed') = (error_code IS NOT NULL))),
  constraint webhook_attempts_outcome_known CHECK ((outcome = ANY (ARRAY['succeeded', 'failed']))),
  constraint webhook_attempts_trigger_known CHECK ((trigger = ANY (ARRAY['automatic', 'manual', 'test']))),
  constraint webhook_attempts_delivery FOREIGN KEY (home, delivery_id) REFERENCES webhook_deliveries(home, id)
);
CREATE INDEX webhook_attempts_by_app ON webhook_attempts (home, app_id, attempted_at DESC, id DESC);
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (home, delivery_id);
CREATE INDEX webhook_attempts_failed_by_app ON webhook_attempts (home, app_id, attempted_at DESC, id DESC) WHERE (outcome = 'failed');
CREATE INDEX webhook_attempts_gave_up ON webhook_attempts (attempted_at) WHERE ((outcome = 'failed') AND (trigger = 'automatic') AND (next_attempt_at IS NULL));
CREATE INDEX webhook_attempts_of_type_by_app ON webhook_attempts (home, app_id, event_type, attempted_at DESC, id DESC) WHERE (event_type <> 'payment.completed');
-- malipo_service: delete, insert, select, update

create table webhook_deliveries (
  home smallint not null,
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  app_id uuid not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  postponements integer not null default 0,
  next_attempt_at timestamptz(3),
  leased_by uuid,
  created_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  trigger text not null default 'automatic',
  lease_until timestamptz(3),
  is_test boolean not null default false,
  constraint webhook_deliveries_pkey PRIMARY KEY (home, id),
  constraint webhook_deliveries_due_while_pending CHECK (((status = 'pending') = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_finished_has_time CHECK (((status = 'pending') = (finished_at IS NULL))),
  constraint webhook_deliveries_five_attempts CHECK (((attempts >= 0) AND (attempts <= 5))),
  constraint webhook_deliveries_lease_while_pending CHECK (((leased_by IS NULL) OR (status = 'pending'))),
  constraint webhook_deliveries_manual_once CHECK (((trigger = 'automatic') OR (attempts = CASE WHEN (status = ANY (ARRAY['delivered', 'exhausted'])) THEN 1 ELSE 0 END))),
  constraint webhook_deliveries_status_known CHECK ((status = ANY (ARRAY['pending', 'delivered', 'exhausted', 'cancelled']))),
  constraint webhook_deliveries_trigger_known CHECK ((trigger = ANY (ARRAY['automatic', 'manual']))),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_event FOREIGN KEY (home, event_id) REFERENCES events(home, id)
) with (fillfactor=70);
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries USING brin (created_at) WITH (pages_per_range='128', autosummarize='on');
CREATE INDEX webhook_deliveries_due_by_endpoint ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE (status = 'pending');
CREATE INDEX webhook_deliveries_due_live ON webhook_deliveries (next_attempt_at) WHERE ((status = 'pending') AND (NOT is_test));
CREATE INDEX webhook_deliveries_due_test ON webhook_deliveries (next_attempt_at) WHERE ((status = 'pending') AND is_test);
CREATE INDEX webhook_deliveries_manual_by_event ON webhook_deliveries (home, event_id) WHERE (trigger = 'manual');
CREATE UNIQUE INDEX webhook_deliveries_one_chain ON webhook_deliveries (home, event_id, endpoint_id) WHERE (trigger = 'automatic');
CREATE UNIQUE INDEX webhook_deliveries_one_manual_waiting ON webhook_deliveries (home, event_id, endpoint_id) WHERE ((trigger = 'manual') AND (status = 'pending'));
CREATE TRIGGER webhook_deliveries_tell_insert AFTER INSERT ON webhook_deliveries REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_deliveries();
CREATE TRIGGER webhook_deliveries_tell_update AFTER UPDATE ON webhook_deliveries REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_deliveries();
-- malipo_service: delete, insert, select, update

create table webhook_endpoints (
  id uuid not null,
  app_id uuid not null,
  merchant_id uuid not null,
  environment text not null,
  url text not null,
  secret_sealed text not null,
  previous_secret_sealed text,
  previous_secret_expires_at timestamptz(3),
  secret_rotated_at timestamptz(3),
  enabled boolean not null default true,
  disabled_reason text,
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  deleted_at timestamptz(3),
  enabled_at timestamptz(3) not null default clock_now(),
  events text[] not null default '{payment.completed}'::text[],
  events_changed_at timestamptz(3),
  disabled_at timestamptz(3),
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_previous_secret_ends CHECK (((previous_secret_sealed IS NULL) = (previous_secret_expires_at IS NULL))),
  constraint webhook_endpoints_receive_completed CHECK ((events && '{payment.completed,*}'::text[])),
  constraint webhook_endpoints_app FOREIGN KEY (app_id, merchant_id, environment) REFERENCES apps(id, merchant_id, environment)
);
CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (merchant_id, environment) WHERE ((deleted_at IS NULL) AND enabled);
CREATE UNIQUE INDEX webhook_endpoints_one_per_app ON webhook_endpoints (app_id) WHERE (deleted_at IS NULL);
CREATE TRIGGER webhook_endpoints_seal_delete AFTER DELETE ON webhook_endpoints REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION seal_rows();
CREATE TRIGGER webhook_endpoints_seal_insert AFTER INSERT ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION seal_rows();
CREATE TRIGGER webhook_endpoints_seal_update AFTER UPDATE OF id, app_id, merchant_id, environment, url, secret_sealed, previous_secret_sealed, previous_secret_expires_at, secret_rotated_at, enabled, disabled_reason, created_at, updated_at, deleted_at, enabled_at, events, events_changed_at, disabled_at ON webhook_endpoints FOR EACH ROW WHEN (((((((((((((((((((old.id IS DISTINCT FROM new.id) OR (old.app_id IS DISTINCT FROM new.app_id)) OR (old.merchant_id IS DISTINCT FROM new.merchant_id)) OR (old.environment IS DISTINCT FROM new.environment)) OR (old.url IS DISTINCT FROM new.url)) OR (old.secret_sealed IS DISTINCT FROM new.secret_sealed)) OR (old.previous_secret_sealed IS DISTINCT FROM new.previous_secret_sealed)) OR (old.previous_secret_expires_at IS DISTINCT FROM new.previous_secret_expires_at)) OR (old.secret_rotated_at IS DISTINCT FROM new.secret_rotated_at)) OR (old.enabled IS DISTINCT FROM new.enabled)) OR (old.disabled_reason IS DISTINCT FROM new.disabled_reason)) OR (old.created_at IS DISTINCT FROM new.created_at)) OR (old.updated_at IS DISTINCT FROM new.updated_at)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at)) OR (old.enabled_at IS DISTINCT FROM new.enabled_at)) OR (old.events IS DISTINCT FROM new.events)) OR (old.events_changed_at IS DISTINCT FROM new.events_changed_at)) OR (old.disabled_at IS DISTINCT FROM new.disabled_at))) EXECUTE FUNCTION seal_rows();
CREATE TRIGGER webhook_endpoints_tell_insert AFTER INSERT ON webhook_endpoints REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('webhooks');
CREATE TRIGGER webhook_endpoints_tell_update AFTER UPDATE ON webhook_endpoints REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_wallets('webhooks');
-- malipo_service: delete, insert, select, update

CREATE OR REPLACE FUNCTION public.audit_entry_hash(previous_hash bytea, seq bigint, at timestamp with time zone, actor text, action text, object text, before jsonb, after jsonb, request_id text, ip text, merchant_id uuid)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(previous_hash || convert_to(jsonb_build_array(
    seq, (extract(epoch from at) * 1000)::bigint, actor, action, object, before, after, request_id, ip, merchant_id)::text, 'utf8'))
$function$;

CREATE OR REPLACE FUNCTION public.bind_payout_record()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into provider_references (provider, environment, reference, home, payout_id)
  values (new.provider, new.environment, new.provider_reference, new.home, new.payout_id)
  on conflict (provider, environment, reference) do nothing;
  if not exists (
    select from provider_references r
    where r.provider = new.provider and r.environment = new.environment and r.reference = new.provider_reference
      and r.home = new.home and r.payout_id = new.payout_id) then
    raise exception 'the record % of % has another owner', new.provider_reference, new.provider
      using errcode = 'unique_violation', constraint = 'provider_references_pkey', table = 'provider_references';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.broken_row_seals(of_money boolean, from_what text, from_id text, to_what text, to_id text, since timestamp with time zone)
 RETURNS TABLE(what text, home smallint, merchant_id uuid, environment text)
 LANGUAGE plpgsql
 STABLE
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  of_table sealed_tables;
  left_out text[];
begin
  for of_table in select * from sealed_tables t
    where t.moves_money = of_money and (since is not null or t.name between from_what and to_what)
      -- Each uses an index.
      and case when since is null then exists (select from row_seals s where s.what = t.name)
        else exists (select from row_seals s where s.what = t.name and s.sealed_at >= since) end
    order by t.name loop
    -- A column that a migration adds while a check runs is not among these, and the row has it: what differs is compared by the sealed columns.
    left_out := array(select a.attname::text from pg_attribute a
      where a.attrelid = of_table.name::regclass and a.attnum > 0 and not a.attisdropped and a.attname <> all (of_table.covers));
    return query execute format('
      select format(''%%s %%s %%s'', s.what, s.id, case when r.line is null then ''is gone'' else ''was changed outside the service'' end),
        (r.line ->> ''home'')::smallint, (r.line ->> ''merchant_id'')::uuid, r.line ->> ''environment''
      from row_seals s
      left join lateral (select to_jsonb(x) as line from %I x where %s offset 0) r on true
      where s.what = %L and %s and (r.line is null or row_seal_of(r.line, %L) <> s.digest and row_seal_digest(r.line, %L) <> s.digest)', of_table.name, row_seal_match(of_table, 's.id'), of_table.name,
      -- Each can use an index.
      case when since is null then '(s.what, s.id) > ($1, $2) and (s.what, s.id) <= ($3, $4)' else 's.sealed_at >= $5' end, left_out, of_table.covers)
    using from_what, from_id, to_what, to_id, since;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.businesses_are_business_merchants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from merchants where id = new.id and kind = 'business') then
    raise exception 'a business belongs to a business merchant' using errcode = 'integrity_constraint_violation', constraint = 'businesses_are_business_merchants';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.businesses_follow_their_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update businesses b set representative_student_id = u.student_id, updated_at = clock_now() from users u where b.id = new.id and u.id = new.user_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.clock_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$ select now() $function$;

CREATE OR REPLACE FUNCTION public.documents_stay_as_received()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'a received document does not change' using errcode = 'integrity_constraint_violation', constraint = 'documents_stay_as_received';
end $function$;

CREATE OR REPLACE FUNCTION public.erase_identification(subject uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from erasures where user_id = subject and (held_until is null or held_until <= clock_now())) then
    raise exception 'records are held, or the account is not erased' using errcode = 'integrity_constraint_violation', constraint = 'identification_is_held';
  end if;
  update verification_history set
    package = case when package is not null then '{"facts": {}, "documents": []}'::jsonb end,
    reason = case when reason is not null then 'Erased.' end
  where merchant_id in (select id from merchants where user_id = subject);
  delete from identity_papers where user_id = subject;
end $function$;

CREATE OR REPLACE FUNCTION public.event_id(home smallint, kind text, subject uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  hash constant bytea := substr(sha256(convert_to(kind || ':' || subject::text, 'utf8')), 1, 8);
begin
  return (substr(subject::text, 1, 15) || lpad(to_hex(home::integer), 3, '0')
    || encode(set_byte(hash, 0, (get_byte(hash, 0) & 63) | 128), 'hex'))::uuid;
end $function$;

CREATE OR REPLACE FUNCTION public.fold_text(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select lower(regexp_replace(normalize(name, NFKD),
    '[''’‘`´ʼʻʽʾʿ\u00ad\u0300-\u036f\u0610-\u061a\u061c\u0640\u064b-\u065f\u0670\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]',
    '', 'g'))
$function$;

CREATE OR REPLACE FUNCTION public.ledger_day_digest(of_day date, OUT transfers bigint, OUT digest bytea)
 RETURNS record
 LANGUAGE sql
 STABLE
AS $function$
  with lines as (
    select home, id, sha256(convert_to(jsonb_build_array(
      home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount, debit_seq, credit_seq, debit_balance_after,
      credit_balance_after, payment_id, page_id, payout_id, actor, request_id, (extract(epoch from created_at) * 1000)::bigint)::text, 'utf8')) as line
    from ledger_transfers
    where created_at >= (of_day::timestamp - interval '3 hours') at time zone 'UTC'
      and created_at < (of_day::timestamp + interval '21 hours') at time zone 'UTC'
  ),
  homes as (
    select home, count(*) as transfers, sha256(string_agg(line, ''::bytea order by id)) as digest from lines group by home
  )
  select coalesce(sum(homes.transfers), 0)::bigint, sha256(coalesce(string_agg(homes.digest, ''::bytea order by homes.home), ''::bytea))
  from homes
$function$;

CREATE OR REPLACE FUNCTION public.ledger_digests_of_days(first_day date, first_home smallint, last_day date, last_home smallint)
 RETURNS TABLE(day date, home smallint, transfers bigint, digest bytea)
 LANGUAGE sql
 STABLE
AS $function$
  select l.day, l.home, count(*), sha256(string_agg(l.line, ''::bytea order by l.id))
  from (
    select (t.created_at at time zone 'UTC' + interval '3 hours')::date as day, t.home, t.id,
      sha256(convert_to((jsonb_strip_nulls(to_jsonb(t)) || jsonb_build_object('created_at', (extract(epoch from t.created_at) * 1000)::bigint))::text, 'utf8'))
        as line
    from ledger_transfers t
    where t.created_at >= (first_day::timestamp - interval '3 hours') at time zone 'UTC'
      and t.created_at < (last_day::timestamp + interval '21 hours') at time zone 'UTC'
  ) l
  where (l.day > first_day or l.home >= first_home) and (l.day < last_day or l.home <= last_home)
  group by l.day, l.home
$function$;

CREATE OR REPLACE FUNCTION public.ledger_home_digests(of_day date, from_home smallint, to_home smallint)
 RETURNS TABLE(home smallint, transfers bigint, digest bytea)
 LANGUAGE sql
 STABLE
AS $function$
  select t.home, count(*), sha256(string_agg(
    sha256(convert_to((jsonb_strip_nulls(to_jsonb(t)) || jsonb_build_object('created_at', (extract(epoch from t.created_at) * 1000)::bigint))::text, 'utf8')),
    ''::bytea order by t.id))
  from ledger_transfers t
  where t.created_at >= (of_day::timestamp - interval '3 hours') at time zone 'UTC'
    and t.created_at < (of_day::timestamp + interval '21 hours') at time zone 'UTC'
    and t.home between from_home and to_home
  group by t.home
$function$;

CREATE OR REPLACE FUNCTION public.members_add_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into members (id, merchant_id, user_id, role, joined_at) values (new.id, new.id, new.user_id, 'owner', clock_now());
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.members_keep_the_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from merchants m
    where m.id = new.merchant_id and (
      m.kind = 'personal' and new.user_id is distinct from m.user_id
      or not exists (select from members x where x.merchant_id = m.id and x.user_id = m.user_id and x.role = 'owner' and x.removed_at is null)
    )
  ) then
    raise exception 'the person of a merchant is one of its owners, and the only member of a personal merchant'
      using errcode = 'integrity_constraint_violation', constraint = 'members_keep_the_person', table = 'members';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.merchants_keep_their_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.kind is distinct from old.kind or new.kind = 'personal' or not exists (
    select from members x where x.merchant_id = new.id and x.user_id = new.user_id and x.role = 'owner' and x.removed_at is null
  ) then
    raise exception 'a merchant keeps its kind, and its person is one of its owners'
      using errcode = 'integrity_constraint_violation', constraint = 'merchants_keep_their_person', table = 'merchants';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.note_debt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.owes := new.balance < 0;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_fewer_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the attempts of an order at a provider are counted up only'
    using errcode = 'check_violation', constraint = 'attempts_never_fall', table = tg_table_name;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_other_method()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the method of a refund does not change' using errcode = 'check_violation', constraint = 'payouts_method_stays', table = 'payouts';
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_outside_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from inserted i join payouts p on p.home = i.home and p.id = i.payout_id where p.method = 'outside') then
    raise exception 'a refund outside the wallet has no order'
      using errcode = 'check_violation', constraint = 'outside_has_no_order', table = 'provider_payouts';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_unknown_payout_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from payout_transitions where from_status = old.status and to_status = new.status) then
    raise exception 'a % payout cannot become %', old.status, new.status
      using errcode = 'check_violation', constraint = 'payouts_transition_known', table = 'payouts';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.row_seal_digest(line jsonb, covers text[])
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select row_seal_of(line, array(select k.name from jsonb_object_keys(line) as k (name) where k.name <> all (covers)))
$function$;

CREATE OR REPLACE FUNCTION public.row_seal_key(line jsonb, key text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select string_agg(line ->> k.name, '|' order by k.place) from unnest(key) with ordinality as k (name, place)
$function$;

CREATE OR REPLACE FUNCTION public.row_seal_match(of_table sealed_tables, id text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select string_agg(format('x.%I = split_part(%s, ''|'', %s)::%s', k.name, row_seal_match.id, k.place, format_type(a.atttypid, null)), ' and ')
  from unnest(of_table.key) with ordinality as k (name, place)
  join pg_attribute a on a.attrelid = of_table.name::regclass and a.attname = k.name
$function$;

CREATE OR REPLACE FUNCTION public.row_seal_of(line jsonb, left_out text[])
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to((jsonb_strip_nulls(line) - left_out)::text, 'utf8'))
$function$;

CREATE OR REPLACE FUNCTION public.row_seal_place(of_table sealed_tables, after text, at_most integer)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  forward text;
  backward text;
  found text;
begin
  select string_agg(format('x.%I', k.name), ', ' order by k.place), string_agg(format('x.%I desc', k.name), ', ' order by k.place) into forward, backward
  from unnest(of_table.key) with ordinality as k (name, place);
  execute format('select row_seal_key(to_jsonb(l), %L) from (
      select * from (select * from %I x where %s order by %s limit %s) x order by %s limit 1
    ) l', of_table.key, of_table.name, case when after = '' then 'true' else row_seal_range(of_table, '>', after) end, forward, at_most, backward)
  into found;
  return found;
end $function$;

CREATE OR REPLACE FUNCTION public.row_seal_range(of_table sealed_tables, relation text, place text)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select format('(%s) %s (%s)', string_agg(format('x.%I', k.name), ', ' order by k.place), relation,
    string_agg(format('split_part(%L, ''|'', %s)::%s', row_seal_range.place, k.place, format_type(a.atttypid, null)), ', ' order by k.place))
  from unnest(of_table.key) with ordinality as k (name, place)
  join pg_attribute a on a.attrelid = of_table.name::regclass and a.attname = k.name
$function$;

CREATE OR REPLACE FUNCTION public.seal_again(of_name text, of_id text)
 RETURNS text
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  of_table sealed_tables;
  sealed integer;
begin
  select * into strict of_table from sealed_tables where name = of_name;
  delete from row_seals where what = of_name and id = of_id;
  execute format('insert into row_seals (what, id, digest, sealed_at) select %L, %L, row_seal_digest(to_jsonb(x), %L), clock_now() from %I x where %s',
    of_name, of_id, of_table.covers, of_name, row_seal_match(of_table, quote_literal(of_id)));
  get diagnostics sealed = row_count;
  return case sealed when 0 then 'There is no such row. It has no seal any more.' else 'The row is sealed as it is.' end;
end $function$;

CREATE OR REPLACE FUNCTION public.seal_old_rows(of_name text, at_most integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  of_table sealed_tables;
  last text;
begin
  select * into of_table from sealed_tables t where t.name = of_name and t.complete_at is null and not exists (
    select from row_seals s join sealed_tables own on own.name = s.what
    where s.what = 'sealed_tables' and s.id = t.name and s.digest <> row_seal_digest(to_jsonb(t), own.covers));
  if of_table.name is null then return false; end if;
  -- Locked, so that a row which is removed meanwhile is not sealed; what the service may not change or remove needs no lock.
  if not has_any_column_privilege('malipo_service', of_name, 'update') and has_table_privilege('malipo_service', of_name, 'delete') then execute format('lock table %I in share mode', of_name); end if;
  last := row_seal_place(of_table, coalesce(of_table.read_to, ''), at_most);
  if last is not null then
    execute format('insert into row_seals (what, id, digest, sealed_at)
      select %L, row_seal_key(r.line, %L), row_seal_digest(r.line, %L), clock_now()
      from (select to_jsonb(x) as line from %I x where %s and %s %s) r on conflict do nothing',
      of_name, of_table.key, of_table.covers, of_name,
      case when of_table.read_to is null then 'true' else row_seal_range(of_table, '>', of_table.read_to) end,
      row_seal_range(of_table, '<=', last), case when has_any_column_privilege('malipo_service', of_name, 'update') then 'for share' else '' end);
  end if;
  update sealed_tables set read_to = coalesce(last, read_to), complete_at = case when last is null then clock_now() end where name = of_name;
  return last is not null;
end $function$;

CREATE OR REPLACE FUNCTION public.seal_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  of_table sealed_tables;
begin
  -- Not current_user, which is the owner here.
  if (case current_setting('role') when 'none' then session_user else current_setting('role') end) <> 'malipo_service'
    and current_setting('malipo.changes_by_hand', true) is distinct from 'sealed' then return null; end if;
  select * into of_table from sealed_tables where name = tg_table_name;
  if tg_level = 'ROW' then
    insert into row_seals as s (what, id, digest, sealed_at)
    values (tg_table_name, row_seal_key(to_jsonb(new), of_table.key), row_seal_digest(to_jsonb(new), of_table.covers), clock_now())
    on conflict (what, id) do update set digest = excluded.digest, sealed_at = excluded.sealed_at where s.digest <> excluded.digest;
    return null;
  end if;
  if tg_op = 'UPDATE' then
    delete from row_seals s using was w where s.what = tg_table_name and s.id = row_seal_key(to_jsonb(w), of_table.key)
      and s.id not in (select row_seal_key(to_jsonb(c), of_table.key) from changed c);
  end if;
  if tg_op = 'DELETE' then
    delete from row_seals s using changed c where s.what = tg_table_name and s.id = row_seal_key(to_jsonb(c), of_table.key);
  else
    insert into row_seals as s (what, id, digest, sealed_at)
    select tg_table_name, row_seal_key(c.line, of_table.key), row_seal_digest(c.line, of_table.covers), clock_now()
    from (select to_jsonb(c) as line from changed c) c
    on conflict (what, id) do update set digest = excluded.digest, sealed_at = excluded.sealed_at where s.digest <> excluded.digest;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.short_code_of(id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  letters constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  digest constant bytea := sha256(uuid_send(id));
  check_value constant integer := get_byte(digest, 5) & 31;
  number constant bigint := (('x' || encode(substr(digest, 1, 5), 'hex'))::bit(40)::bigint % 29716530480) * 37 + check_value;
begin
  return substr(letters, (number >> 35)::integer + 1, 1) || substr(letters, (number >> 30 & 31)::integer + 1, 1)
    || substr(letters, (number >> 25 & 31)::integer + 1, 1) || substr(letters, (number >> 20 & 31)::integer + 1, 1) || '-'
    || substr(letters, (number >> 15 & 31)::integer + 1, 1) || substr(letters, (number >> 10 & 31)::integer + 1, 1)
    || substr(letters, (number >> 5 & 31)::integer + 1, 1) || substr(letters, (number & 31)::integer + 1, 1) || '-'
    || substr(letters, check_value + 1, 1);
end $function$;

CREATE OR REPLACE FUNCTION public.tell_accounts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', tg_argv[0], id, ''), ',') from changed));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_balances()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'balance', holder, environment), ',') from changed where kind in ('wallet', 'payouts_reserved', 'receivable')));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_break()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes(concat_ws(',', 'breaks||',
    (select 'payments|' || p.merchant_id || '|' || p.environment from payments p where p.home = new.home and p.id = new.payment_id),
    -- A return to a payer has no merchant.
    (select 'payouts|' || p.merchant_id || '|' || p.environment from payouts p where p.home = new.home and p.id = new.payout_id)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_cases()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes(concat_ws('|', 'cases', new.merchant_id, new.environment));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_changes(names text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if names is not null then raise notice using message = 'changed', detail = names, errcode = 'MLPCH'; end if;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'deliveries', a.merchant_id, a.environment), ',') from changed c join apps a on a.id = c.app_id));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_members()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct name, ',') from changed,
    lateral (values (concat_ws('|', 'members', merchant_id, '')), ('memberships|' || user_id || '|')) as t (name)));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_merchants()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', tg_argv[0], merchant_id, ''), ',') from changed where merchant_id is not null));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_operators()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_level = 'ROW' then perform tell_changes(tg_argv[0] || '||');
  else perform tell_changes((select string_agg(distinct tg_argv[0] || '||', ',') from changed));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_person()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes('person|' || new.id || '|');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_requests()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'pages', p.merchant_id, p.environment), ',') from changed c join payment_pages p on p.home = c.home and p.id = c.id));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes('sessions|' || new.user_id || '|');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_votes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', 'approvals', r.merchant_id, r.environment), ',') from changed c join approval_requests r on r.home = c.home and r.id = c.request_id));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.tell_wallets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform tell_changes((select string_agg(distinct concat_ws('|', tg_argv[0], merchant_id, environment), ',') from changed));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.unsealed_rows(of_name text, after text, up_to text)
 RETURNS TABLE(what text, home smallint, merchant_id uuid, environment text)
 LANGUAGE plpgsql
 STABLE
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  of_table sealed_tables;
begin
  select * into of_table from sealed_tables t where t.name = of_name and t.complete_at is not null;
  if of_table.name is null then return; end if;
  return query execute format('
    select format(''%%s %%s was added outside the service'', %L, r.id), (r.line ->> ''home'')::smallint, (r.line ->> ''merchant_id'')::uuid, r.line ->> ''environment''
    from (select l.line, row_seal_key(l.line, %L) as id from (select to_jsonb(x) as line from %I x where %s and %s offset 0) l offset 0) r
    left join lateral (select true as is_there from row_seals s where s.what = %L and s.id = r.id offset 0) s on true
    where s.is_there is null',
    of_name, of_table.key, of_name, case when after = '' then 'true' else row_seal_range(of_table, '>', after) end, row_seal_range(of_table, '<=', up_to), of_name);
end $function$;

CREATE OR REPLACE FUNCTION public.verifications_are_told()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  subject uuid := coalesce(to_jsonb(new) ->> 'merchant_id', to_jsonb(new) ->> 'id');
begin
  if exists (
    select from verifications v
    join merchants m on m.id = v.merchant_id
    left join verification_history h on h.merchant_id = v.merchant_id and h.version = v.version
    where v.merchant_id = subject and v.version > 0 and h.to_status is distinct from m.verification_status)
  then
    raise exception 'a status without its entry in the history' using errcode = 'integrity_constraint_violation', constraint = 'verifications_are_told';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.verifications_go_on()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.version <> old.version + 1 then
    raise exception 'a review goes on by one version' using errcode = 'integrity_constraint_violation', constraint = 'verifications_go_on';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.wire_id(prefix text, id uuid)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  hex constant text := replace(id::text, '-', '');
  hi constant bigint := ('x' || substr(hex, 1, 16))::bit(64)::bigint;
  lo constant bigint := ('x' || substr(hex, 17))::bit(64)::bigint;
  digits constant text := '0123456789abcdefghjkmnpqrstvwxyz';
begin
  return prefix || '_'
    || substr(digits, 1 + (hi >> 61 & 7)::integer, 1) || substr(digits, 1 + (hi >> 56 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 51 & 31)::integer, 1) || substr(digits, 1 + (hi >> 46 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 41 & 31)::integer, 1) || substr(digits, 1 + (hi >> 36 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 31 & 31)::integer, 1) || substr(digits, 1 + (hi >> 26 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 21 & 31)::integer, 1) || substr(digits, 1 + (hi >> 16 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 11 & 31)::integer, 1) || substr(digits, 1 + (hi >> 6 & 31)::integer, 1)
    || substr(digits, 1 + (hi >> 1 & 31)::integer, 1) || substr(digits, 1 + ((hi << 4 & 31) | (lo >> 60 & 15))::integer, 1)
    || substr(digits, 1 + (lo >> 55 & 31)::integer, 1) || substr(digits, 1 + (lo >> 50 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 45 & 31)::integer, 1) || substr(digits, 1 + (lo >> 40 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 35 & 31)::integer, 1) || substr(digits, 1 + (lo >> 30 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 25 & 31)::integer, 1) || substr(digits, 1 + (lo >> 20 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 15 & 31)::integer, 1) || substr(digits, 1 + (lo >> 10 & 31)::integer, 1)
    || substr(digits, 1 + (lo >> 5 & 31)::integer, 1) || substr(digits, 1 + (lo & 31)::integer, 1);
end $function$;

CREATE OR REPLACE FUNCTION public.wire_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
AS $function$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $function$;
