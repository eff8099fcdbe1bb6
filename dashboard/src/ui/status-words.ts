/** The words of every status. Also for the first look of a visit, so without React. */
export const statusWords = {
  pending: ['Pending', 'Inasubiri'],
  processing: ['Processing', 'Inashughulikiwa'],
  completed: ['Completed', 'Imekamilika'],
  failed: ['Failed', 'Imeshindikana'],
  voided: ['Cancelled', 'Imeghairiwa'],
  expired: ['Expired', 'Muda umeisha'],
  unsubmitted: ['Not submitted', 'Haijawasilishwa'],
  verified: ['Verified', 'Imethibitishwa'],
  rejected: ['Rejected', 'Imekataliwa'],
  active: ['Active', 'Inatumika'],
  inactive: ['Inactive', 'Haitumiki'],
  expiring: ['Ends soon', 'Unaisha karibuni'],
  revoked: ['Revoked', 'Imefutwa'],
  succeeded: ['Delivered', 'Imefika'],
  reversed: ['Came back', 'Imerudi'],
  cancelled: ['Cancelled', 'Imeghairiwa'],
  open: ['Open', 'Wazi'],
  resolved: ['Resolved', 'Imetatuliwa'],
  invited: ['Invited', 'Amealikwa'],
  removed: ['Removed', 'Ameondolewa'],
} as const

/** Of payments and refunds: `malipo` and `marejesho` are plural, so `i-` becomes `ya-`. */
export const paymentStatusWords = Object.fromEntries<readonly [string, string]>(
  Object.entries(statusWords).map(([status, [en, sw]]) => [status, [en, sw.replace(/^I/, 'Ya')]]),
) as Record<keyof typeof statusWords, readonly [string, string]>
