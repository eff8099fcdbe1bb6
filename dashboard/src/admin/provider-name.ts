/** The providers as they write themselves. */
const names: Record<string, string> = { snippe: 'Snippe', clickpesa: 'ClickPesa' }

export const providerName = (provider: string): string => names[provider] ?? provider
