/**
 * The map of personal data: each column of each table that can hold any, with its content, its purpose, its protection, its period, who
 * sees it, and what happens to it when the person asks for erasure. Invariant: every column that holds text, JSON, bytes or a date is
 * listed here, as personal or as not. A test over the schema checks this. The export and the page for operators are made from it.
 */

export type Person = 'account' | 'payer' | 'recipient' | 'operator' | 'anybody'

export type Erased =
  /** Replaced with a value that identifies no person. */
  | 'replaced'
  /** The row is removed. */
  | 'removed'
  /** Held as long as the law requires records of identification, then erased. Erased at once if no person was ever verified. */
  | 'held'
  /** It stays; `because` says why. */
  | 'stays'

export type PersonalColumn = {
  what: string
  erased: Erased
  because?: string
  /** Additional protection. Without it, everyone with access to the database may read the column. */
  guard?: string
  /** False: it is a secret, or has no meaning outside the service. */
  isTold?: false
}

export type PersonalTable = {
  whose: Person
  why: string
  seenBy: string
  keptFor: string
  columns: Record<string, PersonalColumn>
  /** Other columns that an export shows, to explain the data. */
  context?: string
}

const years = 'ten years after the account is closed (KYC_RECORD_YEARS)'
const withAccount = 'until the account is erased'
const masked = 'masked in logs, public answers and lists'

export const personalTables: Record<string, PersonalTable> = {
  users: {
    whose: 'account',
    why: 'To sign in, to be reached, and to be the student whom the account belongs to.',
    seenBy: 'The person; operators.',
    keptFor: withAccount,
    context: 'id role created_at email_verified_at disabled_at',
    columns: {
      full_name: { what: 'name', erased: 'replaced' },
      email: { what: 'e-mail address', erased: 'replaced' },
      phone_number: { what: 'phone number', erased: 'replaced', guard: masked },
      student_id: { what: 'student id', erased: 'replaced' },
      institution: { what: 'place of study', erased: 'replaced' },
      password_hash: { what: 'password', erased: 'replaced', guard: 'argon2id', isTold: false },
    },
  },
  merchants: {
    whose: 'account',
    why: 'Payers see whom they pay.',
    seenBy: 'Everybody.',
    keptFor: withAccount,
    context: 'id kind verification_status suspended_at created_at',
    columns: {
      display_name: { what: 'name shown to payers', erased: 'replaced' },
      suspension_reason: { what: 'why operators stopped it', erased: 'replaced' },
    },
  },
  businesses: {
    whose: 'account',
    why: 'The law wants to know whom money is taken for.',
    seenBy: 'The representative; operators; payers see the name.',
    keptFor: years,
    context: 'id business_type country region created_at',
    columns: {
      legal_name: { what: 'name of the business', erased: 'held' },
      trading_name: { what: 'name of the business', erased: 'held' },
      registration_number: { what: 'registration number', erased: 'held' },
      tax_identification_number: { what: 'tax number', erased: 'held' },
      address: { what: 'address', erased: 'held' },
      city: { what: 'address', erased: 'held' },
      website: { what: 'website', erased: 'held' },
      phone: { what: 'phone number', erased: 'held' },
      email: { what: 'e-mail address', erased: 'held' },
      representative_role: { what: 'role of the person', erased: 'held' },
      representative_student_id: { what: 'student id', erased: 'held' },
    },
  },
  identity_papers: {
    whose: 'account',
    why: 'The law wants to know who takes money.',
    seenBy: 'The person sees the last four digits; a reviewer reads the number one by one, each time in the audit log.',
    keptFor: years,
    context: 'updated_at',
    columns: {
      sealed_national_id: { what: 'national identity number', erased: 'held', guard: 'sealed (AES-256-GCM)', isTold: false },
      national_id_hash: { what: 'national identity number', erased: 'held', guard: 'HMAC', isTold: false },
      national_id_last4: { what: 'its last four digits', erased: 'held' },
      date_of_birth: { what: 'date of birth', erased: 'held' },
    },
  },
  documents: {
    whose: 'account',
    why: 'Proof of who somebody is.',
    seenBy: 'Reviewers, each look in the audit log.',
    keptFor: `90 days when never submitted, else ${years}`,
    context: 'id purpose content_type state size_bytes created_at finished_at',
    columns: {
      sha256: {
        what: 'digest of a picture of a document',
        erased: 'held',
        guard: 'the file lies in the document store, behind signed addresses',
        isTold: false,
      },
      review_sha256: { what: 'digest of the copy for reviewers', erased: 'held', isTold: false },
      refused_reason: { what: 'why a file was refused', erased: 'held' },
    },
  },
  submitted_documents: {
    whose: 'account',
    why: 'Which files a decision was taken on.',
    seenBy: 'Reviewers.',
    keptFor: years,
    columns: { sha256: { what: 'digest of a document', erased: 'held', isTold: false } },
  },
  verifications: {
    whose: 'account',
    why: 'Where a review stands.',
    seenBy: 'The person; operators.',
    keptFor: withAccount,
    context: 'stage version submitted_at decided_at verified_at',
    columns: { rejection_reason: { what: 'why somebody was refused', erased: 'replaced' } },
  },
  verification_history: {
    whose: 'account',
    why: 'Who decided what about whom, and on what.',
    seenBy: 'Operators; the person gets it with an export.',
    keptFor: years,
    context: 'version action from_status to_status at',
    columns: {
      package: { what: 'what was submitted: facts, and digests of documents', erased: 'held' },
      reason: { what: 'why somebody was refused', erased: 'held' },
    },
  },
  sessions: {
    whose: 'account',
    why: 'To stay signed in, and to see and end what one is signed in with.',
    seenBy: 'The person.',
    keptFor: '90 days after it could last be used',
    context: 'created_at last_used_at expires_at revoked_at amr',
    columns: {
      user_agent: { what: 'kind of device', erased: 'removed' },
      refresh_hash: { what: 'refresh token', erased: 'removed', guard: 'SHA-256', isTold: false },
    },
  },
  sign_in_challenges: {
    whose: 'account',
    why: 'A password was right and waits for the second factor.',
    seenBy: 'Nobody.',
    keptFor: '1 day after it ended',
    columns: {
      user_agent: { what: 'kind of device', erased: 'removed' },
      token_hash: { what: 'token', erased: 'removed', guard: 'SHA-256', isTold: false },
    },
  },
  mailed_tokens: {
    whose: 'account',
    why: 'A code that was mailed: to reset a password, to verify an address.',
    seenBy: 'Nobody.',
    keptFor: '1 day after it ended',
    context: 'purpose created_at used_at',
    columns: {
      email: { what: 'e-mail address', erased: 'removed' },
      token_hash: { what: 'code', erased: 'removed', guard: 'SHA-256', isTold: false },
    },
  },
  second_factors: {
    whose: 'account',
    why: 'The second factor.',
    seenBy: 'Nobody.',
    keptFor: withAccount,
    context: 'confirmed_at removed_at',
    columns: {
      sealed_secret: { what: 'secret of the authenticator app', erased: 'removed', guard: 'sealed', isTold: false },
      pending_sealed_secret: { what: 'secret of the authenticator app', erased: 'removed', guard: 'sealed', isTold: false },
    },
  },
  recovery_codes: {
    whose: 'account',
    why: 'The way in when the second factor is lost.',
    seenBy: 'Nobody.',
    keptFor: withAccount,
    columns: { code_hash: { what: 'recovery code', erased: 'removed', guard: 'SHA-256', isTold: false } },
  },
  apps: {
    whose: 'account',
    why: 'What a developer calls what they made.',
    seenBy: 'The person; operators.',
    keptFor: withAccount,
    context: 'id environment created_at deleted_at',
    columns: {
      name: { what: 'name of an app', erased: 'replaced' },
      description: { what: 'description of an app', erased: 'replaced' },
    },
  },
  api_keys: {
    whose: 'account',
    why: 'What a developer calls a key, and from where it may be used.',
    seenBy: 'The person.',
    keptFor: withAccount,
    context: 'id environment last4 created_at revoked_at last_used_at',
    columns: {
      key_name: { what: 'name of a key', erased: 'replaced' },
      allowed_ips: { what: 'internet addresses', erased: 'replaced' },
    },
  },
  webhook_endpoints: {
    whose: 'account',
    why: 'Where events go.',
    seenBy: 'The person; operators see the host.',
    keptFor: withAccount,
    context: 'id environment created_at deleted_at',
    columns: {
      url: { what: 'address of a server', erased: 'replaced' },
      secret_sealed: { what: 'secret', erased: 'replaced', guard: 'sealed', isTold: false },
      previous_secret_sealed: { what: 'secret', erased: 'replaced', guard: 'sealed', isTold: false },
    },
  },
  webhook_attempts: {
    whose: 'anybody',
    why: 'To find out why a webhook did not arrive.',
    seenBy: 'The owner of the app; operators.',
    keptFor: '30 days after the delivery ended',
    columns: {
      url: { what: 'address of a server', erased: 'stays', because: 'It goes by itself within 30 days.' },
      response_body: {
        what: 'what a merchant’s server answered; at most 4 KiB of its own choice',
        erased: 'stays',
        because: 'It goes by itself within 30 days. What is sent names no payer.',
      },
    },
  },
  payment_pages: {
    whose: 'account',
    why: 'What a merchant tells payers.',
    seenBy: 'Everybody.',
    keptFor: withAccount,
    context: 'id environment type amount created_at',
    columns: {
      slug: { what: 'address of a page', erased: 'replaced' },
      title: { what: 'title of a page', erased: 'replaced' },
      description: { what: 'words of the merchant', erased: 'replaced' },
      inactive_message: { what: 'words of the merchant', erased: 'replaced' },
      success_message: { what: 'words of the merchant', erased: 'replaced' },
      redirect_url: { what: 'address of a server', erased: 'replaced' },
      metadata: { what: 'data of the merchant’s own', erased: 'replaced' },
      suspension_reason: { what: 'why operators stopped it', erased: 'replaced' },
    },
  },
  redirect_hosts: {
    whose: 'account',
    why: 'Where payers may be led on to.',
    seenBy: 'The owner of the page; operators.',
    keptFor: withAccount,
    context: 'environment proved_by proved_at created_at',
    columns: {
      host: { what: 'address of a server', erased: 'removed' },
      token: { what: 'word that proves a host', erased: 'removed', isTold: false },
    },
  },
  payment_page_slugs: {
    whose: 'account',
    why: 'Which page an address leads to.',
    seenBy: 'Everybody.',
    keptFor: withAccount,
    columns: { slug: { what: 'address of a page', erased: 'replaced', isTold: false } },
  },
  payments: {
    whose: 'payer',
    why: 'To ask a phone for the payment, to send the receipt, and for the merchant to know who has paid.',
    seenBy: 'The merchant sees name, e-mail and a masked number; operators.',
    keptFor: 'with the books, until the payer is erased',
    context: 'id environment status amount currency network created_at completed_at',
    columns: {
      phone_number: { what: 'phone number', erased: 'replaced', guard: masked },
      customer_name: { what: 'name', erased: 'replaced' },
      customer_email: { what: 'e-mail address', erased: 'replaced' },
      request_hash: { what: 'digest of what was typed', erased: 'replaced', guard: 'SHA-256', isTold: false },
      failure_text: { what: 'what the provider said', erased: 'replaced' },
      payer_language: { what: 'language', erased: 'stays', because: 'It names nobody.' },
    },
  },
  provider_charges: {
    whose: 'payer',
    why: 'The exact request, to send it again after a fault.',
    seenBy: 'Nobody; the provider gets it.',
    keptFor: 'as the payment',
    columns: {
      request_body: { what: 'name, e-mail address and phone number, as sent to the provider', erased: 'replaced', isTold: false },
    },
  },
  provider_inbox: {
    whose: 'payer',
    why: 'What a provider said, word for word: the proof of a payment.',
    seenBy: 'Operators.',
    keptFor: '90 days; 365 when it names no payment of ours',
    columns: { body: { what: 'phone number and name, as the provider has them', erased: 'removed', isTold: false } },
  },
  payouts: {
    whose: 'recipient',
    why: 'To pay a phone.',
    seenBy: 'The merchant; operators.',
    keptFor: 'with the books, until the recipient is erased',
    context: 'id environment status amount fee currency network created_at completed_at',
    columns: {
      phone_number: { what: 'phone number', erased: 'replaced', guard: 'masked in logs' },
      recipient_name: { what: 'name', erased: 'replaced' },
      narration: { what: 'words of the merchant to the recipient', erased: 'replaced' },
      reference: { what: 'the merchant’s own reference', erased: 'replaced' },
      metadata: { what: 'data of the merchant’s own', erased: 'replaced' },
      request_hash: { what: 'digest of what was asked for', erased: 'replaced', guard: 'SHA-256', isTold: false },
      failure_text: { what: 'what the provider said', erased: 'replaced' },
    },
  },
  provider_payouts: {
    whose: 'recipient',
    why: 'The exact request, to send it again after a fault.',
    seenBy: 'Nobody; the provider gets it.',
    keptFor: 'as the payout',
    columns: { request_body: { what: 'name and phone number, as sent to the provider', erased: 'replaced', isTold: false } },
  },
  prompts: {
    whose: 'payer',
    why: 'So that nobody floods a phone with requests.',
    seenBy: 'Nobody.',
    keptFor: 'a day',
    columns: {
      phone_key: {
        what: 'phone number',
        erased: 'stays',
        because: 'It goes by itself within a day.',
        guard: 'HMAC',
        isTold: false,
      },
      network_key: {
        what: 'network of an internet address',
        erased: 'stays',
        because: 'It goes by itself within a day.',
        guard: 'HMAC',
        isTold: false,
      },
    },
  },
  network_paces: {
    whose: 'payer',
    why: 'So that no network of payers floods phones with requests.',
    seenBy: 'Nobody.',
    keptFor: 'a day after its last checkout',
    columns: {
      network_key: {
        what: 'network of an internet address',
        erased: 'stays',
        because: 'It goes by itself within a day.',
        guard: 'HMAC',
        isTold: false,
      },
    },
  },
  rate_limits: {
    whose: 'anybody',
    why: 'So that nobody guesses passwords or floods the service, and people sign in where they did before.',
    seenBy: 'Nobody.',
    keptFor: 'until the window is over',
    columns: {
      key: {
        what: 'address, account or phone',
        erased: 'stays',
        because: 'It goes by itself within 30 days.',
        guard: 'HMAC',
        isTold: false,
      },
    },
  },
  mails: {
    whose: 'anybody',
    why: 'To send a mail, and to say why one did not come.',
    seenBy: 'Nobody.',
    keptFor: '30 days after it was sent; what it said is gone at once',
    context: 'kind state created_at finished_at',
    columns: {
      recipient: { what: 'e-mail address', erased: 'removed' },
      sealed_content: { what: 'what the mail says, while it waits', erased: 'removed', guard: 'sealed', isTold: false },
    },
  },
  breaks: {
    whose: 'operator',
    why: 'What did not agree with a provider, and who decided what.',
    seenBy: 'Operators.',
    keptFor: 'with the books',
    columns: {
      proposed_by: { what: 'id of an operator', erased: 'stays', because: 'Who decided about money stays known.' },
      resolved_by: { what: 'id of an operator', erased: 'stays', because: 'Who decided about money stays known.' },
      proposal_note: { what: 'words of an operator', erased: 'stays', because: 'Evidence; the screen asks for no names.' },
      details: { what: 'amounts, references and states', erased: 'stays', because: 'It names no person.' },
      payer_phone: { what: 'phone that paid money which belongs to nobody here', erased: 'replaced', isTold: false },
    },
  },
  second_step_orders: {
    whose: 'operator',
    why: 'Who ordered confirmations for a page on or off, and why.',
    seenBy: 'Operators.',
    keptFor: 'until the order is withdrawn',
    columns: {
      ordered_by: { what: 'id of an operator', erased: 'stays', because: 'Who decided about a page stays known.' },
      reason: { what: 'words of an operator', erased: 'stays', because: 'It is about a page, not a person.' },
    },
  },
  switches: {
    whose: 'operator',
    why: 'Who switched something off, and why.',
    seenBy: 'Operators.',
    keptFor: 'until it is switched again',
    columns: {
      changed_by: { what: 'id of an operator', erased: 'stays', because: 'Who stopped payments stays known.' },
      reason: { what: 'words of an operator', erased: 'stays', because: 'It is about a network, not a person.' },
    },
  },
  restores: {
    whose: 'operator',
    why: 'Who noted that the database was restored, and who did not wait for the comparison.',
    seenBy: 'Operators.',
    keptFor: 'for as long as the books',
    columns: {
      noted_by: { what: 'id of an operator', erased: 'stays', because: 'Who answers for it stays known.' },
      forced_by: { what: 'id of an operator', erased: 'stays', because: 'Who answers for it stays known.' },
      forced_reason: { what: 'words of an operator', erased: 'stays', because: 'It is about the database, not a person.' },
    },
  },
  reconciliation_runs: {
    whose: 'operator',
    why: 'Who asked for a comparison.',
    seenBy: 'Operators.',
    keptFor: 'with the books',
    columns: { requested_by: { what: 'id of an operator', erased: 'stays', because: 'It names nobody by itself.' } },
  },
  ledger_transfers: {
    whose: 'anybody',
    why: 'Who or what moved money.',
    seenBy: 'Operators.',
    keptFor: 'for good: the books',
    columns: { actor: { what: 'id of a user, key or job', erased: 'stays', because: 'The books. The id leads to a pseudonym.' } },
  },
  audit_log: {
    whose: 'anybody',
    why: 'Who did what to what, and from where.',
    seenBy: 'Operators.',
    keptFor: 'for good: a chain of which no entry can be taken out',
    context: 'at action object request_id',
    columns: {
      actor: { what: 'id of a user', erased: 'stays', because: 'The id leads to a pseudonym.' },
      ip: {
        what: 'internet address',
        erased: 'stays',
        because: 'An entry that is changed breaks the chain; after an erasure it leads to nobody here.',
      },
      before: {
        what: 'what changed; names and numbers of people are left out; addresses that keys are bound to are not',
        erased: 'stays',
        because: 'As `ip`.',
        isTold: false,
      },
      after: {
        what: 'what changed; names and numbers of people are left out; addresses that keys are bound to are not',
        erased: 'stays',
        because: 'As `ip`.',
        isTold: false,
      },
    },
  },
}

/** The other columns of text, JSON, bytes or dates: our own words, ids, and hashes of values that identify no person. */
export const notPersonal: Record<string, string> = {
  api_keys: 'environment scopes key_hash pepper_id last4',
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
  events: 'type environment currency',
  kysely_migration: 'name timestamp',
  kysely_migration_lock: 'id',
  ledger_accounts: 'environment kind currency',
  ledger_transfers: 'environment kind request_id',
  mailed_tokens: 'purpose',
  mails: 'kind state last_error_code',
  merchants: 'kind verification_status',
  network_states: 'environment network status',
  payment_pages: 'environment type currency language',
  payment_transitions: 'from_status to_status',
  payments: 'environment status currency network idempotency_hash failure_code request_id',
  payout_transitions: 'from_status to_status',
  payout_freezes: 'environment reason',
  payouts:
    'purpose environment status currency network idempotency_hash approval failure_code requested_by request_id told_status late_success',
  prompts: 'idempotency_hash repeats',
  provider_charges: 'provider state idempotency_key provider_reference order_mac ended_by',
  provider_inbox: 'provider environment event_id body_hash state request_id',
  provider_payouts: 'provider environment state idempotency_key provider_reference order_mac',
  provider_references: 'provider environment reference',
  receipts: 'outcome',
  reconciliation_records: 'reference network status outcome',
  reconciliation_runs: 'kind subject environment provider day phase by_network',
  redirect_hosts: 'environment proved_by',
  retention_turns: 'rule position',
  sealed_spans: 'what digest',
  second_step_orders: 'name mode',
  sessions: 'amr revoked_reason',
  submitted_documents: 'purpose',
  switches: 'name',
  unfinished_objects: 'key',
  users: 'role',
  verification_history: 'action from_status to_status request_id',
  verification_moves: 'from_status to_status',
  verifications: 'stage',
  webhook_attempts: 'event_type trigger outcome error_code',
  webhook_deliveries: 'status trigger',
  webhook_endpoints: 'environment disabled_reason',
}

/** The columns of a table that an export contains, with those that explain them. */
export function toldColumns(table: string): Set<string> {
  const { columns, context = '' } = personalTables[table]!
  const told = Object.entries(columns).filter(([, { isTold }]) => isTold !== false)
  return new Set([...context.split(' ').filter(Boolean), ...told.map(([name]) => name)])
}
