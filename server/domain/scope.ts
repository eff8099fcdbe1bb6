/** The scopes of API keys. */
export const scopes = [
  'profile:read',
  'balance:read',
  'pages:read',
  'pages:write',
  'payments:read',
  'payments:write',
  'transactions:read',
  'payouts:read',
  'payouts:write',
] as const

export type Scope = (typeof scopes)[number]
