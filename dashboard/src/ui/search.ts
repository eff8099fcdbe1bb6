/** The parameters in the address of a screen, as data. An address can contain anything: what no reader knows is left out. */
import { isDay } from './days.ts'

/** Reads one parameter; undefined if it is not one. */
export type Reader<Value> = (given: unknown) => Value | undefined

export const text: Reader<string> = (given) => (typeof given === 'string' && given !== '' ? given : undefined)

/** What a person searches for. The router reads digits as a number. */
export const words: Reader<string> = (given) => text(typeof given === 'number' ? String(given) : given)?.slice(0, 200)

/** An id, or a text of another known form. */
export const shaped =
  (shape: RegExp): Reader<string> =>
  (given) =>
    typeof given === 'string' && shape.test(given) ? given : undefined

export const oneOf =
  <const Value>(values: readonly Value[]): Reader<Value> =>
  (given) =>
    values.find((value) => value === given)

/** A day in Dar es Salaam: `2026-11-27`. */
export const day: Reader<string> = (given) => (isDay(given) ? given : undefined)

/** TZS. */
export const amount: Reader<number> = (given) => {
  const read = Number(given)
  return given !== '' && given !== null && Number.isSafeInteger(read) && read >= 0 ? read : undefined
}

type Readers = Readonly<Record<string, Reader<unknown>>>

export type SearchOf<Given extends Readers> = { -readonly [Name in keyof Given]?: NonNullable<ReturnType<Given[Name]>> }

/** Reads the parameters of these names. */
export const readSearch =
  <const Given extends Readers>(readers: Given) =>
  (search: Record<string, unknown>): SearchOf<Given> => {
    const found = Object.entries(readers).map(([name, read]) => [name, read(search[name])] as const)
    return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as SearchOf<Given>
  }
