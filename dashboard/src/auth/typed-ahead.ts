/** What a person typed into the sign-in of the first look, before the app was there. Nothing of it is kept after it was read. */

export type TypedAhead = { identifier: string; password: string; focused: string; isSent: boolean }

/** Empty without a first look. Must be read before the app replaces it. */
export function typedAhead(): TypedAhead {
  const form = document.querySelector<HTMLFormElement>('#first-look form')
  const valueOf = (name: string): string => form?.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? ''
  const { activeElement } = document
  const focused = form?.contains(activeElement) === true ? activeElement!.getAttribute('name') : null
  return {
    identifier: valueOf('identifier'),
    password: valueOf('password'),
    focused: focused ?? 'identifier',
    isSent: form?.getAttribute('aria-busy') === 'true',
  }
}
