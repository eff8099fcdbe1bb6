/**
 * Every event that a line of the log can have, with its message. Invariant: the key is stable, because people and tools search for it;
 * the message may be reworded. A key is `subject.what_happened`.
 */
export const logEvents = {
  // Processes
  'api.ready': 'The API is ready.',
  'worker.ready': 'The worker is ready.',
  'process.stuck': 'The event loop is blocked. The process is killed.',
  'job.failed': 'A job failed. It will run again.',
  'job.stuck': 'A job has not finished within its time.',
  'clock.set_back': 'The database clock went back. Leases and schedules were moved back with it.',
  'metrics.failed': 'The metrics could not be read.',

  // Approvals
  'approval.end_failed': 'Something that no one approved in time could not be ended. It will be tried again.',

  // Database
  'database.connection_lost': 'A database connection was lost.',
  'database.login_excess': 'The database login has more rights than a serving process needs.',
  'database.collation_changed':
    'The system orders text in another way than the indexes. Make them again as docs/operations/upgrades.md says.',
  'database.restored': 'The database was restored. Checkouts and payouts are off.',
  'notifications.connection_lost': 'The database connection that listens for notifications was lost.',
  'notifications.reconnect_failed': 'The database connection that listens for notifications could not be opened again.',
  'watched_value.read_failed': 'A value that is reread regularly could not be read.',
  'restore.compared': 'A restored database was compared with the providers. Operators can turn on checkouts and payouts.',
  'retention.rows_deleted': 'Rows past their retention period were deleted.',
  'audit.head_logged': 'This is the newest entry of the audit log.',

  // Requests
  'live.recheck_failed': 'The sessions and roles of open streams could not be read. The streams were ended; they reconnect.',
  'request.answered': 'A request was answered.',
  'request.failed': 'A request failed.',
  'request_log.write_failed': 'Requests could not be written to the request log of their API keys.',
  'checkout_page.failed': 'A checkout page could not be shown.',
  'export.interrupted': 'An export was interrupted.',
  'statement.interrupted': 'A statement was interrupted.',
  'notification.mail_failed': 'A notice of payments or payouts could not be written. It is not tried again.',
  'statement.mail_failed': 'A statement could not be mailed. It is tried again in ten minutes.',
  'limit.count_failed': 'A request could not be counted against its rate limit.',
  'limit.return_failed': 'A request could not be taken off its rate limit.',
  'security.refused': 'A suspicious request was refused.',
  'security.lines_withheld': 'Too many suspicious requests in one minute. Some were not logged.',

  // Accounts
  'api_key.touch_failed': 'The time of the last use of an API key could not be stored.',
  'api_key.rehash_failed': 'An API key could not be stored under the current pepper.',
  'session.touch_failed': 'The time of the last use of a session could not be stored.',
  'sign_in.network_not_stored': 'The network of a sign-in could not be stored as known.',
  'password_attempt.return_failed': 'A password attempt that was not checked still counts.',
  'password_reset.mail_failed': 'The email of a password reset could not be queued.',

  // Support cases
  'case.answered': 'A support case was answered with a proof.',
  'case.escalated': 'A support case waits for operators.',
  'case.question_failed': 'The provider could not be asked about a support case. It will be asked again.',

  // Documents
  'document.malware_found': 'The virus scanner found malware in an upload.',
  'document.scan_undecided': 'The virus scanner gave no verdict.',
  'document_store.unavailable': 'The document store does not work.',
  'inspector.document_too_complex': 'The inspector could not finish a document within its limits.',
  'inspector.failed': 'The process that inspects documents failed.',
  'upload.release_failed': 'An upload URL could not be released.',

  // Mails
  'mail.sent': 'An email was sent.',
  'mail.postponed': 'An email was not sent. It will be tried again.',
  'mail.failed': 'An email was not sent. It will not be tried again.',
  'mail.unreadable': 'An email could not be decrypted.',
  'mail.lease_lost': 'The result of an email came after its lease was lost.',
  'mail.record_failed': 'The result of an email could not be stored.',
  'receipts.created': 'Receipts were created.',

  // Payments
  'charge.not_accepted': 'The provider did not accept a charge.',
  'charge.record_failed': 'The result of a charge could not be stored.',
  'charge.check_failed': 'A charge could not be checked.',
  'charge.recheck_failed': 'An ended charge could not be checked again.',
  'charge.outcome_unknown': 'The outcome of a charge cannot be determined. Operators must decide.',
  'charge.provider_missing': 'A charge belongs to a provider that is not configured.',
  'order.forged': 'A stored order to a provider does not match the request. It is not sent.',
  'payment.settled': 'A payment changed its status.',
  'payment.credited_late': 'A payment succeeded after its end and was credited.',
  'payment.to_confirm': 'The provider is asked to confirm a success before it is credited.',
  'payment.amount_to_confirm':
    'A signed message has another amount or currency than the payment. Nothing is booked, and the provider is asked.',
  'payment.success_denied': 'The provider does not confirm the success that its signed message reported.',
  'payment.contradicted': 'A message contradicts a credited payment. The provider is asked.',
  'payment.money_was_found': 'A message is about a charge whose money was booked with a break.',
  'payment.message_held': 'A message about a payment waits until the break of the payment is resolved.',
  'payment.message_ignored': 'A message came after the end of a payment and changed nothing.',
  'payment.message_not_applied': 'A message could not be applied to a payment.',
  'payment.amount_differs': 'The money received differs from the payment. It is put into suspense.',
  'payment.receipt_differs': 'A provider reports another network receipt for a paid payment. The first one is kept.',
  'payment.fee_differs': 'The provider reports a fee for a payment that cannot be right. Operators must decide.',
  'payment.reference_conflict': 'A provider reference does not match its payment.',
  'payment.notification_lost': 'Notifications about settled payments could not be sent.',
  'prompt.count_failed': 'A phone prompt could not be counted.',
  'prompt.resend_unknown': 'It is unknown whether a phone prompt was shown again.',

  // Payouts
  'payout.quote_failed': 'The fee of a payout could not be determined.',
  'payout.not_accepted': 'The provider did not accept a payout.',
  'payout.float_empty': 'The balance at the provider is too low for a payout.',
  'payout.check_failed': 'A payout could not be checked.',
  'payout.outcome_unknown': 'The outcome of a payout cannot be determined. Operators must decide.',
  'payout.fee_differs': 'The provider charged another fee for a payout than it quoted.',
  'payout.report_differs': 'What the provider reports about a payout does not match the books.',
  'payout.message_ignored': 'A message about a payout changed nothing.',

  // Providers
  'inbox.apply_failed': 'A provider message could not be applied yet. It stays in the inbox.',
  'inbox.retry_failed': 'A provider message from the inbox could not be applied.',
  'inbox.message_doubtful': 'A provider message could not be trusted.',
  'inbox.event_changed': 'A provider sent one event id with two bodies.',
  'inbox.orphaned': 'A provider message could not be applied to any payment or payout. Operators must decide.',
  'inbox.escalated': 'A provider message failed on every attempt. Operators must decide.',
  'inbox.quarantined': 'A provider message was quarantined after repeated process crashes. Operators must decide.',
  'provider.circuit_opened': 'A provider is unhealthy. Nothing new is sent to it.',
  'provider.circuit_stays_open': 'A provider is still unhealthy.',
  'provider.circuit_closed': 'A provider is healthy again.',
  'provider.credentials_refused': 'A provider refuses our credentials. Nothing is sent to it until they are right.',
  'provider.messages_stopped': 'A provider has stopped sending messages.',
  'budget.count_failed': 'A call could not be counted against its budget.',
  'network.charges_failed': 'Charges of a mobile network fail.',
  'network.recovered': 'Charges of a mobile network succeed again.',
  'networks.read_failed': 'The states of the mobile networks could not be read.',
  'switches.read_failed': 'The switches could not be read.',
  'switches.unavailable': 'The switches cannot be read, so nothing new is started.',

  // Books
  'books.violation': 'The books violate an invariant.',
  'books.whole_check_failed': 'A step of the full check of the books failed.',
  'books.rows_not_sealed': 'The rows from before there were seals could not be sealed. The next check of the books goes on.',
  'books.head_not_stored': 'The external store of heads did not accept a head.',
  'ledger.day_closed': 'A day of the ledger was closed.',
  'ledger.day_summed': 'What a closed day brought to each wallet was stored.',
  'reconciliation.break_opened': 'Our books and the records of the provider differ. A break was opened.',
  'reconciliation.list_unavailable': 'A provider did not return its list.',
  'reconciliation.list_incomplete': 'The list of a provider lacks too many records to be trusted.',
  'reconciliation.records_unreadable': 'A day has records of a provider that cannot be read. They may be money.',
  'reconciliation.no_opening_balance': 'A balance cannot be compared before its opening balance is recorded.',
  'reconciliation.day_differs':
    'Breaks of a day are resolved, but money that succeeded at the provider is in no account. The day shows the difference.',
  'reconciliation.step_failed': 'A step of a reconciliation failed.',

  // Webhooks
  'webhook.delivered': 'A webhook was delivered.',
  'webhook.not_delivered': 'A webhook was not delivered.',
  'webhook.send_failed': 'A webhook could not be sent because of a fault of ours.',
  'webhook.lease_lost': 'The result of a webhook came after its lease was lost.',
  'webhook.record_failed': 'The result of a webhook could not be stored.',
  'webhook.disabled': 'A webhook was disabled.',
  'webhook.overdue': 'Webhooks are not sent in time.',
  'webhook.deliveries_added': 'Events had no deliveries. They were added.',
} as const satisfies Record<string, string>

export type LogEvent = keyof typeof logEvents
