/** The form of a pair: what exists before, and what each side does. */
import type { Side, World } from './world.ts'

/** The object of an order. Its facts are those of this merchant, and of this break of a record that has no merchant yet. */
export type Met = { merchantId: string; breakId?: string }

/** Answers with a word: a verdict, or the status and the code of a refusal. */
export type UseCase<Object> = (side: Side, object: Object) => Promise<string>

type Row<Object extends Met> = {
  name: string
  prepare(world: World): Promise<Object>
  first: UseCase<NoInfer<Object>>
  second: UseCase<NoInfer<Object>>
  /** The sides that are two use cases, such as a request and then its order at the provider: what happens between them is right, too. */
  inParts?: readonly ('1' | '2')[]
  /** No connection is cut: what may have been sent then waits for operators, which no serial order does. */
  isLossless?: boolean
  /** Facts that say the same: the first is read as the second. */
  alike?: readonly (readonly [string, string])[]
  /** Answers of a side that has changed nothing: the other side alone is then also right. */
  refusals?: readonly string[]
}

export type Pair = Row<Met>

/** Hides the type of the object, which only its own row needs. */
export const pair = <Object extends Met>(row: Row<Object>): Pair => row as unknown as Pair
