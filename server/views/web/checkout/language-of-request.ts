/** The language of one answer of the checkout's host. */
import type { FastifyRequest } from 'fastify'
import type { PageLanguage } from '../../../domain/language.ts'
import { languageOf } from '../../../collect/payments/payer-language.ts'
import type { Language } from './messages.ts'

/** `chosen`: what the payer chose, in the address or in a form. `page`: the language of the page, or of the payment's payer. */
export function readLanguage(request: FastifyRequest, chosen: unknown, page?: PageLanguage): Language {
  return languageOf({ chosen, page, acceptLanguage: request.headers['accept-language'] })
}

/** The language that the address chooses; pages without a merchant know no other. */
export function languageOfAddress(request: FastifyRequest): Language {
  return readLanguage(request, (request.query as { lang?: unknown }).lang)
}

/** The language that a form names, else that of the address: a form is posted to an address without one. */
export function languageOfForm(request: FastifyRequest): Language {
  const { language } = (request.body ?? {}) as { language?: string }
  return language ? readLanguage(request, language) : languageOfAddress(request)
}
