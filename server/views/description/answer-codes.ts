/**
 * Which codes each operation refuses with: the rules for whole kinds of operations, and what its route declares in `refuses`. Every test
 * that calls the API checks the codes of its answers against it.
 */
import { stepUpOf } from '../../accounts/identity/operation-classes.ts'
import { waitsWithPower } from '../../accounts/members/permissions.ts'
import { limitsOf } from '../../config/limits.ts'
import { assert } from '../../platform/refusal.ts'
import type { Operation } from './document.ts'
import { errorCodes, type Meaning } from './error-codes.ts'

export type Kind = 'Key' | 'Person' | 'Operator' | 'Public'

export function kindOf({ security = [], tags = [] }: Operation): Kind {
  if (security.some((scheme) => 'apiKey' in scheme)) return 'Key'
  if (security.length === 0) return 'Public'
  return tags.includes('Operators') ? 'Operator' : 'Person'
}

const signedIn = ['authentication_required', 'invalid_token', 'session_inactive']

const unauthorized: Record<Kind, string[]> = {
  Key: ['authentication_required', 'invalid_api_key', 'api_key_revoked', 'api_key_expired'],
  Person: signedIn,
  Operator: signedIn,
  Public: [],
}

const forbidden: Record<Kind, string[]> = {
  // A live key stops when its owner is no longer verified.
  Key: ['insufficient_scope', 'ip_not_allowed', 'kyc_required', 'business_not_verified'],
  // The role of a member of a business.
  Person: ['insufficient_role'],
  Operator: ['admin_required', 'two_factor_required'],
  Public: [],
}

/** Codes that every operation of a kind can answer with, by status. */
export function commonCodes(operation: Operation): Record<string, string[]> {
  const { parameters = [], servers, 'x-permission': permission, 'x-reads': reads, 'x-once': once } = operation
  // The host of the documents has no schemas and no limits of the API.
  if (servers) return { 500: ['internal_error'], 503: ['overloaded'] }
  const kind = kindOf(operation)
  const isIn = (place: string, name?: string): boolean =>
    parameters.some((one) => one.in === place && (name === undefined || one.name === name))
  const isList = isIn('query', 'cursor')
  const isOfMerchant = kind === 'Key' || permission !== undefined
  const isChecked = !reads || isIn('path') || isIn('query') || kind !== 'Public'
  const isLimited = kind === 'Key' || (kind !== 'Public' && !reads) || limitsOf(operation.operationId ?? '').length > 0
  return {
    400: [
      ...(reads ? [] : ['invalid_json']),
      ...(isChecked ? ['validation_error'] : []),
      ...(isList ? ['cursor_invalid'] : []),
      'ambiguous_credentials',
      'header_duplicated',
    ],
    401: unauthorized[kind],
    403: kind === 'Person' && !isOfMerchant ? [] : forbidden[kind],
    // A person's query may name a wallet.
    404: permission !== undefined || isIn('path') ? ['not_found'] : [],
    409: once ? ['idempotency_in_progress', 'already_created'] : [],
    ...(!reads && { 413: ['payload_too_large'], 415: ['unsupported_media_type'] }),
    // Only where a request can name a cell.
    421: isChecked ? ['wrong_cell'] : [],
    422: once ? ['idempotency_key_reused'] : [],
    // Each key has one request limit over all routes, and large bodies of a caller are counted.
    429: isLimited ? ['rate_limited'] : [],
    500: ['internal_error'],
    503: ['overloaded'],
  }
}

/** The status with which a route refuses with this code. */
export const statusOf = (code: string): string => String((errorCodes as Record<string, Meaning>)[code]?.[3] ?? 400)

function statusAndCode(code: string): [string, string] {
  assert(code in errorCodes, `${code} is declared by a route: explain it in server/views/description/error-codes.ts`)
  return [statusOf(code), code]
}

/** The codes of an operation by status: those of its kind, then its own. */
export function codesOf(operation: Operation): Record<string, string[]> {
  const { operationId = '', 'x-permission': permission, 'x-refuses': refuses = [] } = operation
  const codes: Record<string, string[]> = commonCodes(operation)
  const isByPerson = kindOf(operation) !== 'Key'
  const demanded = [
    ...(isByPerson && stepUpOf(operationId).when !== 'never' ? ['step_up_required'] : []),
    ...(waitsWithPower(operationId, permission) ? ['power_not_active_yet'] : []),
  ]
  const own = [...demanded, ...refuses].map(statusAndCode)
  for (const [status, code] of own) codes[status] = [...new Set([...(codes[status] ?? []), code])]
  return Object.fromEntries(Object.entries(codes).filter(([, some]) => some.length > 0))
}
