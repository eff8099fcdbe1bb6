/** The nonce of this page, which the policy requires for every style element. Imported before any module that creates one. */

export const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

// The library that locks scrolling behind a dialog reads the nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })
