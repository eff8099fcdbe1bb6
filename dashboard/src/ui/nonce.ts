/** The nonce of this answer, which the policy of the page asks of every style element. Imported before everything that makes one. */

export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

// Where the library that keeps the page still behind a dialog looks for it.
Object.assign(globalThis, { __webpack_nonce__: nonce })
