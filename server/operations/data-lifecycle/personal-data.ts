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

export type PersonalColumn = {
  what: string
  erased: Erased
  because?: string
  /** Additional protection. Without it, everyone with access to the database may read the column. */
  guard?: string
  /** False: an export leaves it out, because it is a secret or has no meaning outside the service. */
  isExported?: false
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
    why: 'To sign in, to contact the person, and to record which student owns the account.',
    seenBy: 'The person; operators.',
    keptFor: withAccount,
    context: 'id role created_at email_verified_at disabled_at',
    columns: {
      full_name: { what: 'name', erased: 'replaced' },
      email: { what: 'e-mail address', erased: 'replaced' },
      phone_number: { what: 'phone number', erased: 'replaced', guard: masked },
      student_id: { what: 'student id', erased: 'replaced' },
      institution: { what: 'place of study', erased: 'replaced' },
      password_hash: { what: 'password', erased: 'replaced', guard: 'argon2id', isExported: false },
    },
  },
  merchants: {
    whose: 'account',
    why: 'Payers see the name of the merchant that they pay.',
    seenBy: 'Everyone.',
    keptFor: withAccount,
    context: 'id kind verification_status suspended_at created_at',
    columns: {
      display_name: { what: 'name shown to payers', erased: 'replaced' },
      suspension_reason: { what: 'why operators suspended it', erased: 'replaced' },
    },
  },
  businesses: {
    whose: 'account',
    why: 'The law requires us to identify the business that takes money.',
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
  members: {
    whose: 'account',
    why: 'To invite a person to a business, and to know who may act for it.',
    seenBy: 'The members of the business; operators.',
    keptFor: 'the address until the invitation is accepted or cancelled, at most 30 days after it expired',
    context: 'id merchant_id role created_at joined_at removed_at',
    columns: {
      email: { what: 'e-mail address of an invitation', erased: 'removed' },
      token_hash: { what: 'token of an invitation', erased: 'removed', guard: 'SHA-256', isExported: false },
    },
  },
  identity_papers: {
    whose: 'account',
    why: 'The law requires us to identify the person that takes money.',
    seenBy: 'The person sees the last four digits; a reviewer reads one number at a time, and each read is in the audit log.',
    keptFor: years,
    context: 'updated_at',
    columns: {
      sealed_national_id: { what: 'national identity number', erased: 'held', guard: 'sealed (AES-256-GCM)', isExported: false },
      national_id_hash: { what: 'national identity number', erased: 'held', guard: 'HMAC', isExported: false },
      national_id_last4: { what: 'its last four digits', erased: 'held' },
      date_of_birth: { what: 'date of birth', erased: 'held' },
    },
  },
  documents: {
    whose: 'account',
    why: 'Proof of identity.',
    seenBy: 'Reviewers; each view is in the audit log.',
    keptFor: `90 days if never submitted, otherwise ${years}`,
    context: 'id purpose content_type state size_bytes created_at finished_at',
    columns: {
      sha256: {
        what: 'digest of a picture of a document',
        erased: 'held',
        guard: 'the file is in the document store, behind signed addresses',
        isExported: false,
      },
      review_sha256: { what: 'digest of the copy for reviewers', erased: 'held', isExported: false },
      refused_reason: { what: 'why a file was refused', erased: 'held' },
      file_name: { what: 'name of the file on the person’s device', erased: 'held' },
    },
  },
  submitted_documents: {
    whose: 'account',
    why: 'The files that a decision is based on.',
    seenBy: 'Reviewers.',
    keptFor: years,
    columns: { sha256: { what: 'digest of a document', erased: 'held', isExported: false } },
  },
  verifications: {
    whose: 'account',
    why: 'The state of a review.',
    seenBy: 'The person; operators.',
    keptFor: withAccount,
    context: 'stage version submitted_at decided_at verified_at',
    columns: {
      rejection_reason: { what: 'reason for a rejection', erased: 'replaced' },
      problems: { what: 'the same by document and field', erased: 'replaced' },
    },
  },
  verification_history: {
    whose: 'account',
    why: 'Each decision: the reviewer, the subject, the outcome and the evidence.',
    seenBy: 'Operators; the person gets it with an export.',
    keptFor: years,
    context: 'version action from_status to_status at',
    columns: {
      package: { what: 'submitted facts, and digests of documents', erased: 'held' },
      reason: { what: 'reason for a rejection', erased: 'held' },
    },
  },
  sessions: {
    whose: 'account',
    why: 'To stay signed in, and to list and end sessions.',
    seenBy: 'The person.',
    keptFor: '90 days after it could last be used',
    context: 'created_at last_used_at expires_at revoked_at amr',
    columns: {
      user_agent: { what: 'kind of device', erased: 'removed' },
      refresh_hash: { what: 'refresh token', erased: 'removed', guard: 'SHA-256', isExported: false },
    },
  },
  sign_in_challenges: {
    whose: 'account',
    why: 'A sign-in with the correct password that waits for the second factor.',
    seenBy: 'No one.',
    keptFor: '1 day after it ended',
    columns: {
      user_agent: { what: 'kind of device', erased: 'removed' },
      token_hash: { what: 'token', erased: 'removed', guard: 'SHA-256', isExported: false },
    },
  },
  mailed_tokens: {
    whose: 'account',
    why: 'A mailed code, to reset a password, to verify an address, or to change the address or phone number of an account.',
    seenBy: 'No one.',
    keptFor: '1 day after it ended',
    context: 'purpose created_at used_at',
    columns: {
      email: { what: 'e-mail address', erased: 'removed' },
      new_phone_number: { what: 'phone number', erased: 'removed' },
      token_hash: { what: 'code', erased: 'removed', guard: 'SHA-256', isExported: false },
    },
  },
  second_factors: {
    whose: 'account',
    why: 'The second factor.',
    seenBy: 'No one.',
    keptFor: withAccount,
    context: 'confirmed_at removed_at',
    columns: {
      sealed_secret: { what: 'secret of the authenticator app', erased: 'removed', guard: 'sealed', isExported: false },
      pending_sealed_secret: { what: 'secret of the authenticator app', erased: 'removed', guard: 'sealed', isExported: false },
    },
  },
  recovery_codes: {
    whose: 'account',
    why: 'To sign in when the second factor is lost.',
    seenBy: 'No one.',
    keptFor: withAccount,
    columns: { code_hash: { what: 'recovery code', erased: 'removed', guard: 'SHA-256', isExported: false } },
  },
  apps: {
    whose: 'account',
    why: 'Names that a developer gives to apps.',
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
    why: 'The name of a key, and the addresses that may use it.',
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
    why: 'The address that events are sent to.',
    seenBy: 'The person; operators see the host.',
    keptFor: withAccount,
    context: 'id environment created_at deleted_at',
    columns: {
      url: { what: 'address of a server', erased: 'replaced' },
      secret_sealed: { what: 'secret', erased: 'replaced', guard: 'sealed', isExported: false },
      previous_secret_sealed: { what: 'secret', erased: 'replaced', guard: 'sealed', isExported: false },
    },
  },
  webhook_attempts: {
    whose: 'anyone',
    why: 'To find out why a webhook did not arrive.',
    seenBy: 'The owner of the app; operators.',
    keptFor: '30 days after the delivery ended',
    columns: {
      url: { what: 'address of a server', erased: 'stays', because: 'It is removed within 30 days.' },
      response_body: {
        what: 'response of the merchant’s server, at most 4 KiB',
        erased: 'stays',
        because: 'It is removed within 30 days. Events name no payer.',
      },
    },
  },
  payment_pages: {
    whose: 'account',
    why: 'Information of the merchant for payers.',
    seenBy: 'Everyone.',
    keptFor: withAccount,
    context: 'id environment type amount created_at',
    columns: {
      slug: { what: 'address of a page', erased: 'replaced' },
      title: { what: 'title of a page', erased: 'replaced' },
      description: { what: 'text of the merchant', erased: 'replaced' },
      inactive_message: { what: 'text of the merchant', erased: 'replaced' },
      success_message: { what: 'text of the merchant', erased: 'replaced' },
      redirect_url: { what: 'address of a server', erased: 'replaced' },
      metadata: { what: 'data of the merchant', erased: 'replaced' },
      custom_fields: { what: 'labels of the fields that payers fill in', erased: 'replaced' },
      merchant_reference: { what: 'order number of the merchant', erased: 'replaced' },
      suspension_reason: { what: 'why operators suspended it', erased: 'replaced' },
    },
  },
  payment_requests: {
    whose: 'payer',
    why: 'To fill the form of the customer who pays an order.',
    seenBy: 'The merchant; everyone with the link of the request until it is paid.',
    keptFor: 'until the payer or the account is erased',
    context: 'id cancelled_at',
    columns: {
      customer_name: { what: 'name', erased: 'replaced' },
      customer_email: { what: 'e-mail address', erased: 'replaced' },
      customer_phone: { what: 'phone number', erased: 'replaced' },
    },
  },
  merchant_brands: {
    whose: 'account',
    why: 'Payers recognise the merchant. A logo is usually no personal data, but it may be the picture or the initials of a person.',
    seenBy: 'Everyone; the reason of a removal: members and operators.',
    keptFor: withAccount,
    context: 'color logo_type updated_at',
    columns: {
      logo: {
        what: 'picture',
        erased: 'removed',
        guard: 'made by the service from the pixels of the file, without its metadata',
      },
      logo_sha256: { what: 'digest of the picture', erased: 'removed', isExported: false },
      removed_sha256: { what: 'digest of a picture that operators removed', erased: 'removed', isExported: false },
      removed_reason: { what: 'why operators removed a logo', erased: 'removed' },
    },
  },
  statement_schedules: {
    whose: 'account',
    why: 'The statements that the person wants by mail.',
    seenBy: 'The person.',
    keptFor: 'until the person stops the mail, may not read the statement any more, or the account is erased',
    context: 'environment frequency next_on mailed_until',
    columns: { language: { what: 'language', erased: 'removed' } },
  },
  saved_filters: {
    whose: 'account',
    why: 'The filters that the person has saved for the lists of a wallet. No text of a search is in them.',
    seenBy: 'The person.',
    keptFor: 'until the person deletes them, leaves the business, or the account is erased',
    context: 'environment list status network page_id min_amount max_amount period first_day last_day created_at',
    columns: { name: { what: 'name that the person gave a filter', erased: 'removed' } },
  },
  support_contacts: {
    whose: 'account',
    why: 'Payers reach the merchant with it. Only what the merchant chose.',
    seenBy: 'Everyone.',
    keptFor: withAccount,
    context: 'updated_at',
    columns: {
      phone: { what: 'phone number', erased: 'removed' },
      email: { what: 'e-mail address', erased: 'removed' },
      whatsapp: { what: 'phone number', erased: 'removed' },
    },
  },
  support_cases: {
    whose: 'payer',
    why: 'To answer a payer who says that money was taken.',
    seenBy: 'Operators. With the address of the case: the last four characters of the number.',
    keptFor: '365 days after the case was answered or closed',
    context: 'id state finding created_at',
    columns: {
      sms_number: { what: 'number of the network’s message', erased: 'replaced' },
      claimed_phone: { what: 'phone number', erased: 'replaced', guard: masked },
      claimed_time: { what: 'when money was taken, in the payer’s words', erased: 'replaced' },
      words: { what: 'what the payer wrote', erased: 'replaced' },
      email: { what: 'e-mail address', erased: 'replaced' },
      decision_note: { what: 'evidence of operators', erased: 'replaced', isExported: false },
      decision_message: { what: 'answer of operators', erased: 'replaced' },
    },
  },
  support_case_answers: {
    whose: 'payer',
    why: 'The evidence of an answer to a payer.',
    seenBy: 'Operators.',
    keptFor: '365 days after the case was answered or closed',
    context: 'answer provider_status answered_at',
    columns: {
      network_receipt: { what: 'number of the network’s message', erased: 'replaced' },
    },
  },
  redirect_hosts: {
    whose: 'account',
    why: 'The hosts that payers may be sent back to.',
    seenBy: 'The owner of the page; operators.',
    keptFor: withAccount,
    context: 'environment proved_by proved_at created_at',
    columns: {
      host: { what: 'address of a server', erased: 'removed' },
      token: { what: 'token that proves a host', erased: 'removed', isExported: false },
    },
  },
  payment_page_slugs: {
    whose: 'account',
    why: 'To find the page of an address.',
    seenBy: 'Everyone.',
    keptFor: withAccount,
    columns: { slug: { what: 'address of a page', erased: 'replaced', isExported: false } },
  },
  payments: {
    whose: 'payer',
    why: 'To ask a phone for the payment, to send the receipt, and to identify the payer to the merchant.',
    seenBy:
      'The merchant sees name, e-mail, receipt number and a masked phone number. Members with the right role see the whole number, and each time is recorded. Operators.',
    keptFor: 'with the books, until the payer is erased',
    context: 'id short_code environment status amount currency network created_at completed_at',
    columns: {
      phone_number: { what: 'phone number', erased: 'replaced', guard: masked },
      customer_name: { what: 'name', erased: 'replaced' },
      customer_email: { what: 'e-mail address, if the payer gave one', erased: 'replaced' },
      custom_fields: { what: 'what the payer gave in the fields of the page', erased: 'replaced' },
      merchant_reference: { what: 'order number of the merchant', erased: 'replaced' },
      metadata: { what: 'data of the merchant', erased: 'replaced' },
      description: { what: 'text of the merchant for the payer', erased: 'replaced' },
      request_hash: { what: 'digest of the payer’s input', erased: 'replaced', guard: 'SHA-256', isExported: false },
      failure_text: { what: 'error text of the provider', erased: 'replaced' },
      network_receipt: { what: 'number in the network’s message to the payer', erased: 'replaced' },
      payer_language: { what: 'language', erased: 'stays', because: 'It identifies no person.' },
    },
  },
  payment_receipts: {
    whose: 'payer',
    why: 'To find the payment of a receipt number.',
    seenBy: 'No one; searches read it.',
    keptFor: 'as long as the payment',
    columns: {
      parts: { what: 'parts of the number in the network’s message to the payer', erased: 'removed', isExported: false },
    },
  },
  provider_charges: {
    whose: 'payer',
    why: 'The exact request, to repeat it after a fault.',
    seenBy: 'No one; the provider receives it.',
    keptFor: 'as long as the payment',
    columns: {
      request_body: {
        what: 'name, e-mail address and phone number, as sent to the provider',
        erased: 'replaced',
        isExported: false,
      },
    },
  },
  provider_inbox: {
    whose: 'payer',
    why: 'The exact message of a provider: the proof of a payment.',
    seenBy: 'Operators.',
    keptFor: '90 days; 365 if it names no payment of ours',
    columns: { body: { what: 'phone number and name as stored by the provider', erased: 'removed', isExported: false } },
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
      narration: { what: 'text of the merchant for the recipient', erased: 'replaced' },
      reference: { what: 'reference of the merchant', erased: 'replaced' },
      reason: { what: 'reason of the merchant for a refund', erased: 'replaced' },
      metadata: { what: 'data of the merchant', erased: 'replaced' },
      request_hash: { what: 'digest of the request', erased: 'replaced', guard: 'SHA-256', isExported: false },
      failure_text: { what: 'error text of the provider', erased: 'replaced' },
    },
  },
  approval_requests: {
    whose: 'recipient',
    why: 'To show why members of a business refused a payout.',
    seenBy: 'The members of the business.',
    keptFor: 'as long as the payout, until the recipient is erased',
    context: 'id kind status amount created_at decided_at',
    columns: { reason: { what: 'text of a member about the payout', erased: 'replaced' } },
  },
  customers: {
    whose: 'payer',
    why: 'To show the merchant who has paid, and how much.',
    seenBy:
      'The merchant sees the name, the totals and a masked phone number. Members with the right role see the whole number, and each time is recorded.',
    keptFor: 'with the books, until the payer is erased',
    context: 'id environment network paid_count paid_total refunded_total first_paid_at last_paid_at',
    columns: {
      phone_number: { what: 'phone number', erased: 'replaced', guard: masked },
      name: { what: 'name', erased: 'replaced' },
    },
  },
  recipients: {
    whose: 'recipient',
    why: 'To pay a person again without typing the number.',
    seenBy: 'The merchant.',
    keptFor: 'until the merchant deletes it, or the recipient or the account is erased',
    context: 'id environment network created_at',
    columns: {
      name: { what: 'name, as the merchant writes it', erased: 'removed' },
      phone_number: { what: 'phone number', erased: 'removed', guard: 'masked in logs' },
    },
  },
  payout_batches: {
    whose: 'account',
    why: 'To find a batch of payouts again.',
    seenBy: 'The merchant.',
    keptFor: 'a draft or refused batch 30 days, an approved batch with the books',
    context: 'id environment status row_count total fees created_at approved_at stopped_at finished_at',
    columns: {
      title: { what: 'text of the merchant', erased: 'removed' },
      content_hash: { what: 'digest of the rows', erased: 'replaced', guard: 'SHA-256', isExported: false },
      request_hash: { what: 'digest of the request', erased: 'replaced', guard: 'SHA-256', isExported: false },
    },
  },
  payout_batch_rows: {
    whose: 'recipient',
    why: 'To check the rows of a file before they are paid, and to show how each has ended.',
    seenBy: 'The merchant.',
    keptFor: 'a draft or refused batch 30 days, an approved batch with the books, until the recipient is erased',
    context: 'batch_id row_number state amount fee',
    columns: {
      phone_number: { what: 'phone number', erased: 'replaced', guard: 'masked in logs' },
      recipient_name: { what: 'name', erased: 'replaced' },
      narration: { what: 'text of the merchant for the recipient', erased: 'replaced' },
      reference: { what: 'reference of the merchant', erased: 'replaced' },
      errors: { what: 'cells that could not be read', erased: 'removed' },
    },
  },
  payout_batch_changes: {
    whose: 'recipient',
    why: 'To show a person who decides about a batch what has changed since they read it.',
    seenBy: 'The merchant.',
    keptFor: 'until the batch is approved, refused or removed, or the recipient is erased',
    context: 'batch_id version row_number state amount',
    columns: {
      phone_number: { what: 'phone number', erased: 'replaced', guard: 'masked in logs' },
      recipient_name: { what: 'name', erased: 'replaced' },
      narration: { what: 'text of the merchant for the recipient', erased: 'replaced' },
      reference: { what: 'reference of the merchant', erased: 'replaced' },
    },
  },
  provider_payouts: {
    whose: 'recipient',
    why: 'The exact request, to repeat it after a fault.',
    seenBy: 'No one; the provider receives it.',
    keptFor: 'as long as the payout',
    columns: { request_body: { what: 'name and phone number, as sent to the provider', erased: 'replaced', isExported: false } },
  },
  prompts: {
    whose: 'payer',
    why: 'To limit the payment requests to one phone.',
    seenBy: 'No one.',
    keptFor: 'a day',
    columns: {
      phone_key: {
        what: 'phone number',
        erased: 'stays',
        because: 'It is removed within a day.',
        guard: 'HMAC',
        isExported: false,
      },
      network_key: {
        what: 'network of an internet address',
        erased: 'stays',
        because: 'It is removed within a day.',
        guard: 'HMAC',
        isExported: false,
      },
    },
  },
  network_paces: {
    whose: 'payer',
    why: 'To limit the payment requests from one network of payers.',
    seenBy: 'No one.',
    keptFor: 'a day after its last checkout',
    columns: {
      network_key: {
        what: 'network of an internet address',
        erased: 'stays',
        because: 'It is removed within a day.',
        guard: 'HMAC',
        isExported: false,
      },
    },
  },
  rate_limits: {
    whose: 'anyone',
    why: 'To stop password guessing and floods, and to recognise networks that a person signed in from before.',
    seenBy: 'No one.',
    keptFor: 'until the window is over',
    columns: {
      key: {
        what: 'address, account or phone',
        erased: 'stays',
        because: 'It is removed within 30 days.',
        guard: 'HMAC',
        isExported: false,
      },
    },
  },
  mails: {
    whose: 'anyone',
    why: 'To send a mail, and to explain why a mail did not arrive.',
    seenBy: 'No one.',
    keptFor: '30 days after it was sent; the content is erased at once',
    context: 'kind state created_at finished_at',
    columns: {
      recipient: { what: 'e-mail address', erased: 'removed' },
      sealed_content: { what: 'content of the mail until it is sent', erased: 'removed', guard: 'sealed', isExported: false },
    },
  },
  breaks: {
    whose: 'operator',
    why: 'Differences from a provider’s records, and the decisions on them.',
    seenBy: 'Operators.',
    keptFor: 'with the books',
    columns: {
      proposed_by: { what: 'id of an operator', erased: 'stays', because: 'Decisions about money stay attributable.' },
      resolved_by: { what: 'id of an operator', erased: 'stays', because: 'Decisions about money stay attributable.' },
      proposal_note: { what: 'text of an operator', erased: 'stays', because: 'Evidence; the screen asks for no names.' },
      details: { what: 'amounts, references and states', erased: 'stays', because: 'It names no person.' },
      payer_phone: { what: 'phone that paid money which matches no payment here', erased: 'replaced', isExported: false },
    },
  },
  second_step_orders: {
    whose: 'operator',
    why: 'The operator that set confirmations for a page, and the reason.',
    seenBy: 'Operators.',
    keptFor: 'until the order is withdrawn',
    columns: {
      ordered_by: { what: 'id of an operator', erased: 'stays', because: 'Decisions about a page stay attributable.' },
      reason: { what: 'text of an operator', erased: 'stays', because: 'It is about a page, not a person.' },
    },
  },
  switches: {
    whose: 'operator',
    why: 'The operator that switched something off, and the reason.',
    seenBy: 'Operators.',
    keptFor: 'until it is switched again',
    columns: {
      changed_by: { what: 'id of an operator', erased: 'stays', because: 'Decisions about payments stay attributable.' },
      reason: { what: 'text of an operator', erased: 'stays', because: 'It is about a network, not a person.' },
    },
  },
  restores: {
    whose: 'operator',
    why: 'The operator that recorded a restore of the database, and the one that did not wait for the comparison.',
    seenBy: 'Operators.',
    keptFor: 'with the books',
    columns: {
      noted_by: { what: 'id of an operator', erased: 'stays', because: 'The decision stays attributable.' },
      forced_by: { what: 'id of an operator', erased: 'stays', because: 'The decision stays attributable.' },
      forced_reason: { what: 'text of an operator', erased: 'stays', because: 'It is about the database, not a person.' },
    },
  },
  reconciliation_runs: {
    whose: 'operator',
    why: 'The operator that requested a comparison.',
    seenBy: 'Operators.',
    keptFor: 'with the books',
    columns: { requested_by: { what: 'id of an operator', erased: 'stays', because: 'It identifies no person by itself.' } },
  },
  ledger_transfers: {
    whose: 'anyone',
    why: 'The user, key or job that moved money.',
    seenBy: 'Operators.',
    keptFor: 'permanently: the books',
    columns: {
      actor: { what: 'id of a user, key or job', erased: 'stays', because: 'The books. The id refers to a pseudonym.' },
    },
  },
  idempotent_answers: {
    whose: 'account',
    why: 'A repeated request with the same idempotency key gets the same answer.',
    seenBy: 'The caller that sent the request.',
    keptFor: '24 hours',
    columns: {
      body: { what: 'an answer of the API, with the object that it describes', erased: 'removed', isExported: false },
      request_hash: { what: 'digest of the request', erased: 'removed', isExported: false },
    },
  },
  audit_log: {
    whose: 'anyone',
    why: 'Each action: the user, the object and the address.',
    seenBy: 'Operators.',
    keptFor: 'permanently: no entry can be removed from the chain',
    context: 'at action object request_id',
    columns: {
      actor: { what: 'id of a user', erased: 'stays', because: 'The id refers to a pseudonym.' },
      ip: {
        what: 'internet address',
        erased: 'stays',
        because: 'A changed entry breaks the chain; after an erasure it refers to no person here.',
      },
      before: {
        what: 'the change, without names and numbers of people, but with the addresses that keys are bound to',
        erased: 'stays',
        because: 'Same as `ip`.',
        isExported: false,
      },
      after: {
        what: 'the change, without names and numbers of people, but with the addresses that keys are bound to',
        erased: 'stays',
        because: 'Same as `ip`.',
        isExported: false,
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
    'purpose environment status currency network idempotency_hash approval approval_by failure_code requested_by request_id told_status late_success warnings',
  prompts: 'idempotency_hash repeats',
  provider_charges: 'provider state idempotency_key provider_reference order_mac ended_by',
  provider_inbox: 'provider environment event_id body_hash state request_id',
  provider_payouts: 'provider environment state idempotency_key provider_reference order_mac',
  provider_references: 'provider environment reference',
  receipts: 'outcome',
  reconciliation_records: 'reference network status outcome',
  reconciliation_runs: 'kind subject environment provider day phase by_network',
  customers: 'environment network',
  customer_counts: 'environment',
  recipients: 'environment network created_by',
  redirect_hosts: 'environment proved_by',
  retention_turns: 'rule position',
  saved_filters: 'environment list status network period first_day last_day',
  sealed_spans: 'what digest',
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

/** The columns of a table that an export contains, with those that explain them. */
export function exportedColumns(table: string): Set<string> {
  const { columns, context = '' } = personalTables[table]!
  const exported = Object.entries(columns).filter(([, { isExported }]) => isExported !== false)
  return new Set([...context.split(' ').filter(Boolean), ...exported.map(([name]) => name)])
}
