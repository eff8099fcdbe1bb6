/** The forms that the values of settings have, and the error for a value that stops the start. */
import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { networks, type Network } from '../domain/network.ts'
import { trueOrFalse } from '../platform/http/text.ts'

/** A wrong setting that stops the start; its message is for the operator. */
export class ConfigError extends Error {}

/** A port that another program uses. */
export class PortTaken extends ConfigError {
  constructor(port: number, setting: string) {
    super(`Port ${port} is in use by another program. Stop it, or set ${setting} to a free port, as in ${setting}=4300.`)
  }
}

/** What the environment gives for these variables, checked. */
export type Given<Variables extends z.core.$ZodShape> = z.infer<z.ZodObject<Variables>>

/** Settings as the service gets them: nothing of them can be changed. Keys and collections keep their type. */
export type Frozen<Value> = Value extends Buffer | KeyObject | ReadonlyMap<unknown, unknown>
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value

export const seconds = z.coerce.number().positive()
export const wait = z.coerce.number().int().min(0).max(604_800)
/** At most a month. */
export const hours = z.coerce.number().int().min(0).max(720)
export const port = z.coerce.number().int().min(0).max(65_535)
export const flag = trueOrFalse.transform((value) => value === 'true')
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)
export const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''))

/** One value for all mobile networks, and other ones for some: `90,halotel=60`. */
export function perNetwork<Value>(value: z.ZodType<Value>, fallback: Value) {
  const forAll = (one: Value) => Object.fromEntries(networks.map((network) => [network, one])) as Record<Network, Value>
  return list
    .transform((parts, context): Record<Network, Value> => {
      const general = parts.filter((part) => !part.includes('='))
      const named = parts.filter((part) => part.includes('=')).map((part) => part.split('=', 2) as [Network, string])
      const [first = fallback, ...others] = general.map(read)
      const own = named.map(([network, text]) => [network, read(text)] as const)
      const isForm = others.length === 0 && named.every(([network]) => networks.includes(network))
      if (!isForm) context.addIssue(`write one value, or another one for a network as in mpesa=…: ${networks.join(', ')}`)
      return { ...forAll(first), ...(Object.fromEntries(own) as Partial<Record<Network, Value>>) }

      function read(text: string): Value {
        const { data, error } = value.safeParse(text)
        if (error) context.addIssue(error.issues[0]!.message)
        return data ?? fallback
      }
    })
    .default(() => forAll(fallback))
}

export const delays = list.transform((parts) => parts.map(Number)).pipe(z.array(z.number().positive()).min(1))
