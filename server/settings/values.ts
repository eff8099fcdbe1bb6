/** The forms that the values of settings have, and the error for a value that stops the start. */
import { z } from 'zod'
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

export const seconds = z.coerce.number().positive()
export const wait = z.coerce.number().int().min(0).max(604_800)
export const port = z.coerce.number().int().min(0).max(65_535)
export const flag = trueOrFalse.transform((value) => value === 'true')
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)
export const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''))
export const delays = list.transform((parts) => parts.map(Number)).pipe(z.array(z.number().positive()).min(1))
