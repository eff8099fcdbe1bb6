/**
 * The map of personal data: each column of each table that can hold any, with its content, its purpose, its protection, its period, who
 * sees it, and what happens to it when the person asks for erasure. Invariant: every column that holds text, JSON, bytes or a date is
 * listed here, as personal or as not. A test over the schema checks this. The export and the page for operators are made from it.
 */

export type Person = 'account' | 'payer' | 'recipient' | 'operator' | 'anyone'

export type Erased =
  /** Replaced with a value that identifies no person. */
  | 'replaced'
  /** The row is removed. */
  | 'removed'
  /** Held as long as the law requires records of identification, then erased. Erased at once if no person was ever verified. */
  | 'held'
  /** It stays; `because` says why. */
  | 'stays'

type Column = {
  what: string
  /** Additional protection. Without it, everyone with access to the database may read the column. */
  guard?: string
  /** False: an export leaves it out, because it is a secret or has no meaning outside the service. */
  isExported?: false
}

/** A column that needs no more than its content is only a string. */
type Cell = string | Column

export type PersonalColumn = Column & { name: string; erased: Erased; because?: string }

/** Under each `Erased` stand the columns of the table with that end. */
type PersonalTable = {
  why: string
  seenBy: string
  keptFor: string
  /** Other columns that an export shows, to explain the data. */
  context?: string
} & { [end in Exclude<Erased, 'stays'>]?: Record<string, Cell> } & { stays?: Record<string, Column & { because: string }> }

const guarded = (what: string, guard: string): Column => ({ what, guard })

const secret = (what: string, guard?: string): Column => ({ what, ...(guard !== undefined && { guard }), isExported: false })

const because = (cell: Cell, reason: string): Column & { because: string } => ({ ...columnOf(cell), because: reason })

function columnOf(cell: Cell): Column {
  return typeof cell === 'string' ? { what: cell } : cell
}

const years = 'ten years after the account is closed (KYC_RECORD_YEARS)'
const withAccount = 'until the account is erased'
const masked = 'masked in logs, public answers and lists'

/** What a merchant tells us about a person that it pays. */
const paidPerson = {
  phone_number: guarded('phone number', 'masked in logs'),
  recipient_name: 'name',
  narration: 'text of the merchant for the recipient',
  reference: 'reference of the merchant',
}

export const personalTables: Record<Person, Record<string, PersonalTable>> = {
  account: {
    users: {
      why: 'To sign in, to contact the person, and to record which student owns the account.',
      seenBy: 'The person; operators.',
      keptFor: withAccount,
      context: 'id role created_at email_verified_at disabled_at',
      replaced: {
        full_name: 'name',
        email: 'e-mail address',
        phone_number: guarded('phone number', masked),
        student_id: 'student id',
        institution: 'place of study',
        password_hash: secret('password', 'argon2id'),
      },
    },
    merchants: {
      why: 'Payers see the name of the merchant that they pay.',
      seenBy: 'Everyone.',
      keptFor: withAccount,
      context: 'id kind verification_status suspended_at created_at',
      replaced: { display_name: 'name shown to payers', suspension_reason: 'why operators suspended it' },
    },
    businesses: {
      why: 'The law requires us to identify the business that takes money.',
      seenBy: 'The representative; operators; payers see the name.',
      keptFor: years,
      context: 'id business_type country region created_at',
      held: {
        legal_name: 'name of the business',
        trading_name: 'name of the business',
        registration_number: 'registration number',
        tax_identification_number: 'tax number',
        address: 'address',
        city: 'address',
        website: 'website',
        phone: 'phone number',
        email: 'e-mail address',
        representative_role: 'role of the person',
        representative_student_id: 'student id',
      },
    },
    members: {
      why: 'To invite a person to a business, and to know who may act for it.',
      seenBy: 'The members of the business; operators.',
      keptFor: 'the address until the invitation is accepted or cancelled, at most 30 days after it expired',
      context: 'id merchant_id role created_at joined_at removed_at',
      removed: { email: 'e-mail address of an invitation', token_hash: secret('token of an invitation', 'SHA-256') },
    },
    identity_papers: {
      why: 'The law requires us to identify the person that takes money.',
      seenBy: 'The person sees the last four digits; a reviewer reads one number at a time, and each read is in the audit log.',
      keptFor: years,
      context: 'updated_at',
      held: {
        sealed_national_id: secret('national identity number', 'sealed (AES-256-GCM)'),
        national_id_hash: secret('national identity number', 'HMAC'),
        national_id_last4: 'its last four digits',
        date_of_birth: 'date of birth',
      },
    },
    documents: {
      why: 'Proof of identity.',
      seenBy: 'Reviewers; each view is in the audit log.',
      keptFor: `90 days if never submitted, otherwise ${years}`,
      context: 'id purpose content_type state size_bytes created_at finished_at',
      held: {
        sha256: secret('digest of a picture of a document', 'the file is in the document store, behind signed addresses'),
        review_sha256: secret('digest of the copy for reviewers'),
        refused_reason: 'why a file was refused',
        file_name: 'name of the file on the person’s device',
      },
    },
    submitted_documents: {
      why: 'The files that a decision is based on.',
      seenBy: 'Reviewers.',
      keptFor: years,
      held: { sha256: secret('digest of a document') },
    },
    verifications: {
      why: 'The state of a review.',
      seenBy: 'The person; operators.',
      keptFor: withAccount,
      context: 'stage version submitted_at decided_at verified_at',
      replaced: { rejection_reason: 'reason for a rejection', problems: 'the same by document and field' },
    },
    verification_history: {
      why: 'Each decision: the reviewer, the subject, the outcome and the evidence.',
      seenBy: 'Operators; the person gets it with an export.',
      keptFor: years,
      context: 'version action from_status to_status at',
      held: { package: 'submitted facts, and digests of documents', reason: 'reason for a rejection' },
    },
    sessions: {
      why: 'To stay signed in, and to list and end sessions.',
      seenBy: 'The person.',
      keptFor: '90 days after it could last be used',
      context: 'created_at last_used_at expires_at revoked_at amr',
      removed: { user_agent: 'kind of device', refresh_hash: secret('refresh token', 'SHA-256') },
    },
    sign_in_challenges: {
      why: 'A sign-in with the correct password that waits for the second factor.',
      seenBy: 'No one.',
      keptFor: '1 day after it ended',
      removed: { user_agent: 'kind of device', token_hash: secret('token', 'SHA-256') },
    },
    mailed_tokens: {
      why: 'A mailed code, to reset a password, to verify an address, or to change the address or phone number of an account.',
      seenBy: 'No one.',
      keptFor: '1 day after it ended',
      context: 'purpose created_at used_at',
      removed: { email: 'e-mail address', new_phone_number: 'phone number', token_hash: secret('code', 'SHA-256') },
    },
    second_factors: {
      why: 'The second factor.',
      seenBy: 'No one.',
      keptFor: withAccount,
      context: 'confirmed_at removed_at',
      removed: {
        sealed_secret: secret('secret of the authenticator app', 'sealed'),
        pending_sealed_secret: secret('secret of the authenticator app', 'sealed'),
      },
    },
    recovery_codes: {
      why: 'To sign in when the second factor is lost.',
      seenBy: 'No one.',
      keptFor: withAccount,
      removed: { code_hash: secret('recovery code', 'SHA-256') },
    },
    apps: {
      why: 'Names that a developer gives to apps.',
      seenBy: 'The person; operators.',
      keptFor: withAccount,
      context: 'id environment created_at deleted_at',
      replaced: { name: 'name of an app', description: 'description of an app' },
    },
    api_keys: {
      why: 'The name of a key, and the addresses that may use it.',
      seenBy: 'The person.',
      keptFor: withAccount,
      context: 'id environment last4 created_at revoked_at last_used_at',
      replaced: { key_name: 'name of a key', allowed_ips: 'internet addresses' },
    },
    webhook_endpoints: {
      why: 'The address that events are sent to.',
      seenBy: 'The person; operators see the host.',
      keptFor: withAccount,
      context: 'id environment created_at deleted_at',
      replaced: {
        url: 'address of a server',
        secret_sealed: secret('secret', 'sealed'),
        previous_secret_sealed: secret('secret', 'sealed'),
      },
    },
    payment_pages: {
      why: 'Information of the merchant for payers.',
      seenBy: 'Everyone.',
      keptFor: `${withAccount}; of a payment request, also until its payer is erased`,
      context: 'id environment type amount created_at',
      replaced: {
        slug: 'address of a page',
        title: 'title of a page',
        description: 'text of the merchant',
        inactive_message: 'text of the merchant',
        success_message: 'text of the merchant',
        redirect_url: 'address of a server',
        metadata: 'data of the merchant',
        custom_fields: 'labels of the fields that payers fill in',
        merchant_reference: 'order number of the merchant',
        suspension_reason: 'why operators suspended it',
      },
    },
    merchant_brands: {
      why: 'Payers recognise the merchant. A logo is usually no personal data, but it may be the picture or the initials of a person.',
      seenBy: 'Everyone; the reason of a removal: members and operators.',
      keptFor: withAccount,
      context: 'color logo_type updated_at',
      removed: {
        logo: guarded('picture', 'made by the service from the pixels of the file, without its metadata'),
        logo_sha256: secret('digest of the picture'),
        removed_sha256: secret('digest of a picture that operators removed'),
        removed_reason: 'why operators removed a logo',
      },
    },
    statement_schedules: {
      why: 'The statements that the person wants by mail.',
      seenBy: 'The person.',
      keptFor: 'until the person stops the mail, may not read the statement any more, or the account is erased',
      context: 'environment frequency next_on mailed_until',
      removed: { language: 'language' },
    },
    saved_filters: {
      why: 'The filters that the person has saved for the lists of a wallet. No text of a search is in them.',
      seenBy: 'The person.',
      keptFor: 'until the person deletes them, leaves the business, or the account is erased',
      context: 'environment list status network page_id min_amount max_amount period first_day last_day created_at',
      removed: { name: 'name that the person gave a filter' },
    },
    support_contacts: {
      why: 'Payers reach the merchant with it. Only what the merchant chose.',
      seenBy: 'Everyone.',
      keptFor: withAccount,
      context: 'updated_at',
      removed: { phone: 'phone number', email: 'e-mail address', whatsapp: 'phone number' },
    },
    redirect_hosts: {
      why: 'The hosts that payers may be sent back to.',
      seenBy: 'The owner of the page; operators.',
      keptFor: withAccount,
      context: 'environment proved_by proved_at created_at',
      removed: { host: 'address of a server', token: secret('token that proves a host') },
    },
    payment_page_slugs: {
      why: 'To find the page of an address.',
      seenBy: 'Everyone.',
      keptFor: `${withAccount}; then a digest that leads to no account, so that no other merchant takes the address`,
      replaced: { slug: secret('address of a page') },
    },
    payout_batches: {
      why: 'To find a batch of payouts again.',
      seenBy: 'The merchant.',
      keptFor: 'a draft or refused batch 30 days after its last change, an approved batch with the books',
      context: 'id environment status row_count total fees created_at approved_at stopped_at finished_at',
      removed: { title: 'text of the merchant' },
      replaced: {
        content_hash: secret('digest of the rows', 'SHA-256'),
        request_hash: secret('digest of the request', 'SHA-256'),
      },
    },
    idempotent_answers: {
      why: 'A repeated request with the same idempotency key gets the same answer.',
      seenBy: 'The caller that sent the request.',
      keptFor: '24 hours',
      removed: {
        body: secret('an answer of the API, with the object that it describes'),
        request_hash: secret('digest of the request'),
      },
    },
  },
  payer: {
    payment_requests: {
      why: 'To fill the form of the customer who pays an order.',
      seenBy: 'The merchant; everyone with the link of the request until it is paid.',
      keptFor:
        'until the payer or the account is erased, or 90 days after the request was cancelled or expired without a payment; what the merchant wrote about the order (title, description, metadata) stays',
      context: 'id cancelled_at',
      replaced: { customer_name: 'name', customer_email: 'e-mail address', customer_phone: 'phone number' },
    },
    support_cases: {
      why: 'To answer a payer who says that money was taken.',
      seenBy: 'Operators. With the address of the case: the last four characters of the number.',
      keptFor: '365 days after the case was answered or closed',
      context: 'id state finding created_at',
      replaced: {
        sms_number: 'number of the network’s message',
        claimed_phone: guarded('phone number', masked),
        claimed_time: 'when money was taken, in the payer’s words',
        words: 'what the payer wrote',
        email: 'e-mail address',
        decision_note: secret('evidence of operators'),
        decision_message: 'answer of operators',
      },
    },
    support_case_answers: {
      why: 'The evidence of an answer to a payer.',
      seenBy: 'Operators.',
      keptFor: '365 days after the case was answered or closed',
      context: 'answer provider_status answered_at',
      replaced: { network_receipt: 'number of the network’s message' },
    },
    payments: {
      why: 'To ask a phone for the payment, to send the receipt, and to identify the payer to the merchant.',
      seenBy:
        'The merchant sees name, e-mail, receipt number and a masked phone number. Members with the right role see the whole number, and each time is recorded. Operators.',
      keptFor: 'with the books, until the payer is erased',
      context: 'id short_code environment status amount currency network created_at completed_at',
      replaced: {
        phone_number: guarded('phone number', masked),
        customer_name: 'name',
        customer_email: 'e-mail address, if the payer gave one',
        custom_fields: 'what the payer gave in the fields of the page',
        merchant_reference: 'order number of the merchant',
        metadata: 'data of the merchant',
        description: 'text of the merchant for the payer',
        request_hash: secret('digest of the payer’s input', 'SHA-256'),
        failure_text: 'error text of the provider',
        network_receipt: 'number in the network’s message to the payer',
      },
      stays: { payer_language: because('language', 'It identifies no person.') },
    },
    payment_receipts: {
      why: 'To find the payment of a receipt number.',
      seenBy: 'No one; searches read it.',
      keptFor: 'as long as the payment',
      removed: { parts: secret('parts of the number in the network’s message to the payer') },
    },
    provider_charges: {
      why: 'The exact request, to repeat it after a fault.',
      seenBy: 'No one; the provider receives it.',
      keptFor: 'as long as the payment',
      replaced: { request_body: secret('name, e-mail address and phone number, as sent to the provider') },
    },
    provider_inbox: {
      why: 'The exact message of a provider: the proof of a payment.',
      seenBy: 'Operators.',
      keptFor: '90 days; 365 if it names no payment of ours',
      removed: { body: secret('phone number and name as stored by the provider') },
    },
    customers: {
      why: 'To show the merchant who has paid, and how much.',
      seenBy:
        'The merchant sees the name, the totals and a masked phone number. Members with the right role see the whole number, and each time is recorded.',
      keptFor: 'with the books, until the payer is erased',
      context: 'id environment network paid_count paid_total refunded_total first_paid_at last_paid_at',
      replaced: { phone_number: guarded('phone number', masked), name: 'name' },
    },
    prompts: {
      why: 'To limit the payment requests to one phone.',
      seenBy: 'No one.',
      keptFor: 'a day',
      stays: {
        phone_key: because(secret('phone number', 'HMAC'), 'It is removed within a day.'),
        network_key: because(secret('network of an internet address', 'HMAC'), 'It is removed within a day.'),
      },
    },
    network_paces: {
      why: 'To limit the payment requests from one network of payers.',
      seenBy: 'No one.',
      keptFor: 'a day after its last checkout',
      stays: { network_key: because(secret('network of an internet address', 'HMAC'), 'It is removed within a day.') },
    },
  },
  recipient: {
    payouts: {
      why: 'To pay a phone.',
      seenBy: 'The merchant; operators.',
      keptFor: 'with the books, until the recipient is erased',
      context: 'id environment status amount fee currency network created_at completed_at',
      replaced: {
        ...paidPerson,
        reason: 'reason of the merchant for a refund',
        metadata: 'data of the merchant',
        request_hash: secret('digest of the request', 'SHA-256'),
        failure_text: 'error text of the provider',
      },
    },
    approval_requests: {
      why: 'To show why members of a business refused a payout.',
      seenBy: 'The members of the business.',
      keptFor: 'as long as the payout, until the recipient is erased',
      context: 'id kind status amount created_at decided_at',
      replaced: { reason: 'text of a member about the payout' },
    },
    recipients: {
      why: 'To pay a person again without typing the number.',
      seenBy: 'The merchant.',
      keptFor: 'until the merchant deletes it, or the recipient or the account is erased',
      context: 'id environment network created_at',
      removed: { name: 'name, as the merchant writes it', phone_number: guarded('phone number', 'masked in logs') },
    },
    payout_batch_rows: {
      why: 'To check the rows of a file before they are paid, and to show how each has ended.',
      seenBy: 'The merchant.',
      keptFor:
        'a draft or refused batch 30 days after its last change, an approved batch with the books, until the recipient is erased',
      context: 'batch_id row_number state amount fee',
      replaced: {
        ...paidPerson,
      },
      removed: { errors: 'cells that could not be read' },
    },
    payout_batch_changes: {
      why: 'To show a person who decides about a batch what has changed since they read it.',
      seenBy: 'The merchant.',
      keptFor: 'until the batch is approved, refused or removed, or the recipient is erased',
      context: 'batch_id version row_number state amount',
      replaced: {
        ...paidPerson,
      },
    },
    provider_payouts: {
      why: 'The exact request, to repeat it after a fault.',
      seenBy: 'No one; the provider receives it.',
      keptFor: 'as long as the payout',
      replaced: { request_body: secret('name and phone number, as sent to the provider') },
    },
  },
  operator: {
    breaks: {
      why: 'Differences from a provider’s records, and the decisions on them.',
      seenBy: 'Operators.',
      keptFor: 'with the books',
      stays: {
        proposed_by: because('id of an operator', 'Decisions about money stay attributable.'),
        resolved_by: because('id of an operator', 'Decisions about money stay attributable.'),
        proposal_note: because('text of an operator', 'Evidence; the screen asks for no names.'),
        details: because('amounts, references and states', 'It names no person.'),
      },
      replaced: { payer_phone: secret('phone that paid money which matches no payment here') },
    },
    second_step_orders: {
      why: 'The operator that set confirmations for a page, and the reason.',
      seenBy: 'Operators.',
      keptFor: 'until the order is withdrawn',
      stays: {
        ordered_by: because('id of an operator', 'Decisions about a page stay attributable.'),
        reason: because('text of an operator', 'It is about a page, not a person.'),
      },
    },
    switches: {
      why: 'The operator that switched something off, and the reason.',
      seenBy: 'Operators.',
      keptFor: 'until it is switched again',
      stays: {
        changed_by: because('id of an operator', 'Decisions about payments stay attributable.'),
        reason: because('text of an operator', 'It is about a network, not a person.'),
      },
    },
    restores: {
      why: 'The operator that recorded a restore of the database, and the one that did not wait for the comparison.',
      seenBy: 'Operators.',
      keptFor: 'with the books',
      stays: {
        noted_by: because('id of an operator', 'The decision stays attributable.'),
        forced_by: because('id of an operator', 'The decision stays attributable.'),
        forced_reason: because('text of an operator', 'It is about the database, not a person.'),
      },
    },
    provider_movements: {
      why: 'The operator that recorded money in our account with a provider.',
      seenBy: 'Operators.',
      keptFor: 'with the books',
      stays: {
        recorded_by: because('id of an operator', 'It identifies no person by itself.'),
        reference: because('text of an operator', 'It is about a transfer of ours, not a person.'),
        note: because('text of an operator', 'It is about a transfer of ours, not a person.'),
      },
    },
    reconciliation_runs: {
      why: 'The operator that requested a comparison.',
      seenBy: 'Operators.',
      keptFor: 'with the books',
      stays: { requested_by: because('id of an operator', 'It identifies no person by itself.') },
    },
  },
  anyone: {
    webhook_attempts: {
      why: 'To find out why a webhook did not arrive.',
      seenBy: 'The owner of the app; operators.',
      keptFor: '30 days after the delivery ended',
      stays: {
        url: because('address of a server', 'It is removed within 30 days.'),
        response_body: because(
          'response of the merchant’s server, at most 4 KiB',
          'It is removed within 30 days. Events name no payer.',
        ),
      },
    },
    rate_limits: {
      why: 'To stop password guessing and floods, and to recognise networks that a person signed in from before.',
      seenBy: 'No one.',
      keptFor: 'until the window is over',
      stays: { key: because(secret('address, account or phone', 'HMAC'), 'It is removed within 30 days.') },
    },
    mails: {
      why: 'To send a mail, and to explain why a mail did not arrive.',
      seenBy: 'No one.',
      keptFor: '30 days after it was sent; the content is erased at once',
      context: 'kind state created_at finished_at',
      removed: { recipient: 'e-mail address', sealed_content: secret('content of the mail until it is sent', 'sealed') },
    },
    ledger_transfers: {
      why: 'The user, key or job that moved money.',
      seenBy: 'Operators.',
      keptFor: 'permanently: the books',
      stays: { actor: because('id of a user, key or job', 'The books. The id refers to a pseudonym.') },
    },
    audit_log: {
      why: 'Each action: the user, the object and the address.',
      seenBy: 'Operators.',
      keptFor: 'permanently: no entry can be removed from the chain',
      context: 'at action object request_id',
      stays: {
        actor: because('id of a user', 'The id refers to a pseudonym.'),
        ip: because('internet address', 'A changed entry breaks the chain; after an erasure it refers to no person here.'),
        before: because(
          secret('the change, without names and numbers of people, but with the addresses that keys are bound to'),
          'Same as `ip`.',
        ),
        after: because(
          secret('the change, without names and numbers of people, but with the addresses that keys are bound to'),
          'Same as `ip`.',
        ),
      },
    },
  },
}

/** The other columns of text, JSON, bytes or dates: text of the service, ids, and hashes of values that identify no person. */
export const notPersonal: Record<string, string> = {
  api_keys: 'environment scopes waiting_scopes granted_scopes key_hash pepper_id last4',
  api_requests: 'environment method route error_code request_id',
  apps: 'environment',
  audit_head: 'previous_hash hash keyed_after_hash keyed_after_mac',
  audit_log: 'action object request_id previous_hash hash mac',
  book_checks: 'violations',
  breaks: 'kind environment provider provider_reference proposal proposal_parameters resolution',
  businesses: 'business_type country region',
  closed_days: 'day digest',
  closed_day_homes: 'day digest',
  check_cursors: 'pass walked last_id findings earlier_findings',
  documents: 'purpose content_type state review_content_type refused_code',
  erasures: 'pseudonym',
  events: 'type environment data',
  idempotent_answers: 'key_hash operation object_id',
  kysely_migration: 'name timestamp',
  ledger_accounts: 'environment kind currency',
  ledger_transfers: 'environment kind request_id',
  mailed_statements: 'environment frequency first_day last_day',
  mailed_tokens: 'purpose',
  mails: 'kind state last_error_code',
  members: 'role',
  merchants: 'kind verification_status',
  network_states: 'environment network status',
  payment_pages: 'environment type kind currency language',
  payment_transitions: 'from_status to_status',
  payments: 'environment status currency network idempotency_hash failure_code request_id short_code',
  payout_transitions: 'from_status to_status',
  payout_batches: 'environment status approval failure_code requested_by request_id approved_by',
  payout_batch_rows: 'state network',
  payout_batch_changes: 'state',
  payout_freezes: 'environment reason',
  approval_requests: 'environment kind status requested_by exceeded new_role token_hash',
  approval_rules: 'environment',
  payouts:
    'purpose method environment status currency network idempotency_hash approval approval_by failure_code requested_by request_id told_status late_success warnings',
  prompts: 'idempotency_hash repeats',
  provider_charges: 'provider state idempotency_key provider_reference order_mac ended_by',
  provider_inbox: 'provider environment event_id body_hash state request_id',
  provider_payouts: 'provider environment state idempotency_key provider_reference order_mac approval_mac',
  provider_references: 'provider environment reference',
  receipts: 'outcome',
  provider_balances: 'provider environment',
  provider_movements: 'provider environment kind',
  provider_positions: 'provider environment',
  reconciliation_records: 'reference network status outcome',
  reconciliation_runs: 'kind subject environment provider day phase by_network',
  customers: 'environment network',
  customer_counts: 'environment',
  recipients: 'environment network created_by',
  redirect_hosts: 'environment proved_by',
  retention_turns: 'rule position',
  saved_filters: 'environment list status network period first_day last_day',
  row_seals: 'what id digest',
  sealed_spans: 'what digest',
  sealed_tables: 'name key covers read_to',
  second_step_orders: 'name mode',
  sessions: 'amr revoked_reason',
  statement_schedules: 'environment frequency next_on mailed_until',
  submitted_documents: 'purpose',
  support_case_answers: 'answer reason provider provider_reference provider_status',
  support_case_transitions: 'from_state to_state',
  merchant_brands: 'color logo_type changed_by',
  support_contacts: 'changed_by',
  support_cases: 'environment state payer_language finding escalated_because decision decided_by request_id',
  summed_days: 'day',
  switches: 'name',
  unfinished_objects: 'key',
  users: 'role',
  wallet_days: 'day environment page_kind network',
  verification_history: 'action from_status to_status request_id',
  verification_moves: 'from_status to_status',
  verifications: 'stage',
  webhook_attempts: 'event_type trigger outcome error_code',
  webhook_deliveries: 'status trigger',
  webhook_endpoints: 'environment disabled_reason events',
}

/** The columns of a table in the order of its declaration. */
export function columnsOf(table: PersonalTable): PersonalColumn[] {
  const ends = Object.keys(table).filter((key): key is Erased => ['replaced', 'removed', 'held', 'stays'].includes(key))
  return ends.flatMap((erased) => Object.entries(table[erased]!).map(([name, cell]) => ({ name, erased, ...columnOf(cell) })))
}

/** The columns of a table that an export contains, with those that explain them. */
export function exportedColumns(name: string): Set<string> {
  const table = Object.values(personalTables).find((tables) => name in tables)![name]!
  const exported = columnsOf(table).filter(({ isExported }) => isExported !== false)
  return new Set([...(table.context ?? '').split(' ').filter(Boolean), ...exported.map((column) => column.name)])
}
