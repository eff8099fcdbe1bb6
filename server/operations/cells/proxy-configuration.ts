/**
 * The configuration of HAProxy in front of all cells. Invariant: a request goes to the cell that its id of money, callback, key, session,
 * slug or token names, in this order of precedence; the host name that was asked decides for all others. `refuse-other-cells.ts` checks
 * the same at the cell.
 */
import { slugPatternOf } from '../../collect/pages/page.ts'
import { cellHeader, cellInHeader } from '../../platform/http/cell.ts'
import { idAlphabet, moneyPrefixes, type HomeRange } from '../../platform/ids.ts'
import type { CellsFile } from './cells-file.ts'

const hexDigits = '0123456789abcdef'

/** Two characters that hold a home: the first one numbers groups of `size` homes, and each of `digits` is the same part of such a group. */
function groupsPattern({ first, last }: HomeRange, digits: string, size: number): string {
  const groups = hexDigits.split('').flatMap((name, group) => {
    const place = (home: number): number => Math.floor(((home - group * size) * digits.length) / size)
    const [from, to] = [Math.max(place(first), 0), Math.min(place(last), digits.length - 1)]
    return from > to ? [] : [`${name}[${digits.slice(from, to + 1)}]`]
  })
  return `(?:${groups.join('|')})`
}

/** The twelfth and thirteenth character of an id, which hold the upper seven bits of its home: `(?:0[0-9a-z]|1[0-7])`. */
export const homesPattern = (homes: HomeRange): string => groupsPattern(homes, idAlphabet, 64)

/** The short form of an id. */
export const shortPattern = (homes: HomeRange): string => `${groupsPattern(homes, hexDigits, 16)}[0-9A-Za-z]{18}`

const idPattern = (prefixes: readonly string[], separator: string, homes: HomeRange): string =>
  `(?:${prefixes.join('|')})${separator}[0-9a-z]{11}${homesPattern(homes)}`

/** Rules that hold for both hosts. The last one that names a cell decides. */
function rulesOf({ default: fallback, cells }: CellsFile): string[] {
  const set = (cell: string, condition: string): string => `http-request set-var(txn.cell) ${cell} if ${condition}`
  const each = (write: (cell: CellsFile['cells'][number]) => string[]): string[] => cells.flatMap(write)
  // A slug from before there were cells outranks the name with which it begins.
  const slugs = [
    ...cells.map(({ name }) => ({ name, pattern: slugPatternOf(name) })),
    ...cells.filter((cell) => cell.slugs.length > 0).map((cell) => ({ name: cell.name, pattern: `(?:${cell.slugs.join('|')})` })),
  ]
  const cookieOf = (face: string, name: string): string => `malipo_${face}(?:_[0-9]+)?=mrt_${name}_`
  return [
    '# Registration, sign-in and a forgotten password name no cell: there is no directory yet.',
    `http-request set-var(txn.cell) str(${fallback})`,
    ...each(({ name, hosts }) =>
      hosts.length === 0 ? [] : [set(`str(${name})`, `{ req.hdr(host),host_only -i ${hosts.join(' ')} }`)],
    ),
    '# A token or a slug in the body.',
    'acl has_body path_beg /v1/auth/ /v1/invitations/ /v1/payments/checkout',
    'acl is_provider path_beg /v1/providers/',
    'http-request wait-for-body time 10s if METH_POST has_body or METH_POST is_provider',
    ...each(({ name }) => [
      set(
        `str(${name})`,
        `has_body { req.body -m reg '"(?:refresh_|challenge_|invitation_)?token"\\s*:\\s*"(?:mrt_${name}_|${name}[0-9a-f]{64}")' }`,
      ),
    ]),
    ...slugs.map(({ name, pattern }) => set(`str(${name})`, `has_body { req.body -m reg '"slug"\\s*:\\s*"${pattern}"' }`)),
    '# A slug in the path.',
    'acl has_slug path_beg /pay/ /v1/pay/',
    ...slugs.map(({ name, pattern }) => set(`str(${name})`, `has_slug { path_reg '/pay/${pattern}(?:/|$)' }`)),
    '# The cookie of the dashboard that asks for its next token.',
    'acl is_session path_beg /v1/auth/refresh',
    ...['merchant', 'admin'].flatMap((face) =>
      each(({ name }) => [
        set(
          `str(${name})`,
          `is_session { req.hdr(x-session-cookie) ${face} } { req.hdr(cookie) -m reg ${cookieOf(face, name)} }`,
        ),
      ]),
    ),
    '# A session, and a key with two characters more than one without a cell.',
    set("http_auth_bearer,jwt_payload_query('$.cell')", "{ http_auth_bearer,jwt_payload_query('$.cell') -m found }"),
    set('req.fhdr(x-api-key),bytes(9,2)', '{ req.fhdr(x-api-key) -m len 49 }'),
    '# Our reference in the message of Snippe or ClickPesa, where any other text may look like one, and the cell in an address.',
    ...each(({ name, homes }) => [
      set(
        `str(${name})`,
        `is_provider { req.body -m reg '"malipo_pay(?:ment|out)"\\s*:\\s*"${idPattern(['pay', 'po'], '_', homes)}' }`,
      ),
      set(
        `str(${name})`,
        `is_provider { req.body -m reg '"orderReference"\\s*:\\s*"(?:${idPattern(['po'], '', homes)}|${shortPattern(homes)}")' }`,
      ),
    ]),
    'acl takes_cell path_beg /v1/providers/ /logo/',
    set('url_param(cell)', 'takes_cell { url_param(cell) -m found }'),
    '# An id of money in the path.',
    'acl has_id path_sub _',
    ...each(({ name, homes }) => [set(`str(${name})`, `has_id { path_reg '/${idPattern(moneyPrefixes, '_', homes)}' }`)]),
  ]
}

const head = `# Written by malipo-ops cells proxy: change the file of the cells, and write it again.
global
  # The largest body of a checkout is 64 KiB, and its slug may come last.
  tune.bufsize 81920
  # A request takes about 25 µs without TLS: one thread serves what sixteen cells do, and needs no locks.
  nbthread 1
defaults
  mode http
  # The cells count this proxy, and each one in front of it, in TRUSTED_PROXIES.
  option forwardfor
  timeout connect 5s
  # Live streams and payers wait for up to a minute, and say something before.
  timeout client 75s
  timeout server 75s
  timeout http-request 30s
  timeout http-keep-alive 60s
  # Only what was not sent yet is sent again: a cell must not get a payment twice.
  retries 2
  option redispatch`

export function proxyConfiguration(file: CellsFile): string {
  const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')
  const parts = (['api', 'checkout'] as const).flatMap((host) => [
    `frontend ${host}\n${indent([`bind ${file.bind[host]}`, ...rulesOf(file), `use_backend ${host}_%[var(txn.cell)]`, `default_backend ${host}_${file.default}`])}`,
    ...file.cells.map((cell) => {
      const servers = cell[host].map(
        (address, place) => `server ${cell.name}${place + 1} ${address} check inter 2s fall 2 rise 1`,
      )
      const expected = `http-check expect hdr name ${cellHeader} value -m str "${cellInHeader(cell.name, cell.homes)}"`
      return `backend ${host}_${cell.name}\n${indent(['option httpchk GET /readyz', 'http-check expect status 200', expected, ...servers])}`
    }),
  ])
  return [head, ...parts].join('\n\n')
}
