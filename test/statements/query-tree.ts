/**
 * Which columns of a statement may be null, and why, from the tree that PostgreSQL makes of the statement. Constraints of columns,
 * outer joins, conditions (`where x is not null`), `coalesce`, `case`, aggregates and subqueries are followed; values that we bind
 * are as TypeScript says. What is not known to be without null may be null.
 */
import type { BoundValue } from './find-statements.ts'

type Value = string | undefined | Value[] | Node
type Node = { tag: string; [field: string]: Value }

/** `isOurs`: not one of PostgreSQL's own. */
type FunctionFacts = { name: string; isStrict: boolean; isOurs: boolean }

export type Catalog = {
  /** By `relation.attribute`: the name of the column, if it may be null. */
  nullableColumns: ReadonlyMap<string, string>
  /** By the same key: the values that a check constraint allows. */
  allowedTexts: ReadonlyMap<string, string[]>
  functions: ReadonlyMap<string, FunctionFacts>
}

type Context = {
  query: Node
  parent: Context | undefined
  /** Columns that the conditions have proved to be without null. */
  proven: ReadonlySet<string>
  /** Whether columns of the changed table are read after the change. */
  isAfter: boolean
}

/** The text form of a tree: `{TAG :field value …}`, `(list)`, `<>` for nothing. */
export function parseTree(text: string): Value {
  const tokens = text.match(/[(){}]|(?:\\.|[^\s(){}\\])+/gs) ?? []
  let at = 0
  const read = (): Value => {
    const token = tokens[at++]!
    if (token === '(') {
      const list: Value[] = []
      while (tokens[at] !== ')') list.push(read())
      at += 1
      // A set or list of numbers begins with its kind.
      return typeof list[0] === 'string' && /^[biox]$/.test(list[0]) ? list.slice(1) : list
    }
    if (token !== '{') return token === '<>' ? undefined : token.replaceAll(/\\(.)/gs, '$1').replaceAll(/^"|"$/g, '')
    const node: Node = { tag: tokens[at++]! }
    while (tokens[at] !== '}') {
      const field = tokens[at++]!
      if (field.startsWith(':')) node[field.slice(1)] = read()
    }
    at += 1
    return node
  }
  return read()
}

const nodes = (value: Value): Node[] =>
  Array.isArray(value) ? (value.flat(9) as Node[]).filter((one) => typeof one === 'object') : []
const node = (value: Value): Node | undefined => (typeof value === 'object' && !Array.isArray(value) ? value : undefined)

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/\w+/g))

/** Strict functions that return null although no argument is null. */
const mayReturnNull = wordsOf(`
  jsonb_object_field jsonb_object_field_text jsonb_array_element jsonb_array_element_text jsonb_extract_path
  jsonb_extract_path_text json_object_field json_object_field_text to_regclass array_length array_position
  regexp_match regexp_substr jsonb_path_query_first textregexsubstr obj_description col_description nullif
  pg_get_constraintdef pg_get_expr inet_client_addr array_upper array_lower json_extract_path_text`)
/** Functions that take null and never return it. */
const neverNull = wordsOf(
  'clock_now concat concat_ws format json_build_array jsonb_build_object jsonb_build_array json_build_object num_nulls num_nonnulls',
)
const countingFunctions = wordsOf('count row_number rank dense_rank ntile')
const wrappers = wordsOf('RELABELTYPE COERCEVIAIO ARRAYCOERCEEXPR COERCETODOMAIN COLLATEEXPR NAMEDARGEXPR')
const withoutNull = wordsOf('NULLTEST BOOLEANTEST DISTINCTEXPR ROWEXPR ARRAYEXPR SQLVALUEFUNCTION GROUPINGFUNC CASETESTEXPR')
/** Functions in `from` whose rows have no null of their own. */
const rowFunctions = wordsOf('generate_series jsonb_array_elements jsonb_array_elements_text jsonb_object_keys jsonb_each')

const commands = { select: '1', update: '2', insert: '3', delete: '4' }
const tables = { relation: '0', subquery: '1', join: '2', function: '3', values: '5', cte: '6', group: '9' }
const sublinks = { exists: '0', any: '2', expression: '4', array: '6' }

export class QueryTree {
  readonly #catalog: Catalog
  readonly #bound: readonly BoundValue[]
  readonly #context: Context
  /** Columns of recursive queries that are being looked at. */
  readonly #open = new Set<string>()
  readonly #ids = new WeakMap<Node, number>()
  #lastId = 0

  constructor(text: string, catalog: Catalog, bound: readonly BoundValue[]) {
    this.#catalog = catalog
    this.#bound = bound
    const statements = nodes(parseTree(text))
    this.#context = this.#contextOf(
      statements.find(({ tag }) => tag === 'QUERY')!,
      undefined,
    )
  }

  /** The columns in their order: the table's column they show, as in the catalog, and why they may be null. */
  columns(): { name: string; origin: string; nullBecause: string | undefined }[] {
    return outputsOf(this.#context.query).map(({ resname, resorigtbl, resorigcol }, index) => ({
      name: resname as string,
      origin: `${resorigtbl as string}.${resorigcol as string}`,
      nullBecause: this.#output(this.#context, index),
    }))
  }

  #contextOf(query: Node, parent: Context | undefined): Context {
    const proven = new Set<string>()
    const jointree = node(query['jointree'])
    const follow = (item: Node): void => {
      if (item.tag === 'JOINEXPR') {
        for (const side of [item['larg'], item['rarg']]) follow(node(side)!)
        if (item['jointype'] !== '0') return
      }
      for (const inner of nodes(item['fromlist'])) follow(inner)
      this.#prove(node(item['quals']), proven)
    }
    if (jointree) follow(jointree)
    this.#prove(node(query['havingQual']), proven)
    return { query, parent, proven, isAfter: false }
  }

  /** Adds the columns that cannot be null where the condition is true. */
  #prove(condition: Node | undefined, proven: Set<string>): void {
    if (!condition) return
    const parts = nodes(condition['args'])
    switch (condition.tag) {
      case 'NULLTEST':
        if (condition['nulltesttype'] === '1') this.#proveValue(node(condition['arg']), proven)
        return
      case 'SCALARARRAYOPEXPR':
        if (condition['useOr'] === 'true') this.#proveValue(parts[0], proven)
        return
      case 'SUBLINK':
        if (condition['subLinkType'] === sublinks.any) this.#proveValue(nodes(node(condition['testexpr'])?.['args'])[0], proven)
        return
      case 'BOOLEXPR':
        if (condition['boolop'] === 'and') for (const part of parts) this.#prove(part, proven)
        else if (condition['boolop'] === 'not') this.#proveValue(parts[0], proven)
        else for (const key of this.#provenByEach(parts)) proven.add(key)
        return
      default:
        this.#proveValue(condition, proven)
    }
  }

  #provenByEach(conditions: Node[]): Set<string> {
    const sets = conditions.map((condition) => {
      const own = new Set<string>()
      this.#prove(condition, own)
      return own
    })
    return sets.reduce((one, other) => new Set([...one].filter((key) => other.has(key))))
  }

  /** Adds the columns that cannot be null where the expression is not. */
  #proveValue(expression: Node | undefined, proven: Set<string>): void {
    if (!expression) return
    const { tag } = expression
    if (tag === 'VAR' && expression['varlevelsup'] === '0') proven.add(keyOf(expression))
    else if (wrappers.has(tag)) this.#proveValue(node(expression['arg']), proven)
    else if ((tag === 'OPEXPR' || tag === 'FUNCEXPR') && this.#functionOf(expression).isStrict)
      for (const part of nodes(expression['args'])) this.#proveValue(part, proven)
  }

  #functionOf(call: Node): FunctionFacts {
    return this.#catalog.functions.get((call['opfuncid'] ?? call['funcid']) as string)!
  }

  /** Why the output column of a query may be null. */
  #output(context: Context, index: number): string | undefined {
    const { query } = context
    if (!this.#ids.has(query)) this.#ids.set(query, (this.#lastId += 1))
    const key = `${this.#ids.get(query)}.${index}`
    if (this.#open.has(key)) return undefined
    this.#open.add(key)
    try {
      const operation = node(query['setOperations'])
      if (operation) return this.#setOperation(operation, context, index)
      const target = outputsOf(query)[index]!
      return this.#expression(node(target['expr'])!, query['commandType'] === commands.select ? context : afterChange(context))
    } finally {
      this.#open.delete(key)
    }
  }

  #setOperation(operation: Node, context: Context, index: number): string | undefined {
    if (operation.tag === 'RANGETBLREF') {
      const table = nodes(context.query['rtable'])[Number(operation['rtindex']) - 1]!
      return this.#output(this.#contextOf(node(table['subquery'])!, context), index)
    }
    const sides = [operation['larg'], operation['rarg']]
    return first(sides.map((side) => () => this.#setOperation(node(side)!, context, index)))
  }

  /** Why an expression may be null. */
  #expression(expression: Node, context: Context): string | undefined {
    const { tag } = expression
    const parts = (): (() => string | undefined)[] =>
      nodes(expression['args']).map((part) => () => this.#expression(part, context))
    if (withoutNull.has(tag)) return undefined
    if (wrappers.has(tag)) return this.#expression(node(expression['arg'])!, context)
    switch (tag) {
      case 'VAR':
        return this.#variable(expression, context)
      case 'CONST':
        return expression['constisnull'] === 'true' ? 'it is the constant null' : undefined
      case 'PARAM':
        return this.#bound[Number(expression['paramid']) - 1]?.isNullable ? 'the value that is bound may be null' : undefined
      case 'FUNCEXPR':
      case 'OPEXPR': {
        const { name, isStrict, isOurs } = this.#functionOf(expression)
        if (neverNull.has(name)) return undefined
        if (isOurs || mayReturnNull.has(name) || (!isStrict && nodes(expression['args']).length > 0))
          return `${name}() may return null`
        return first(parts())
      }
      case 'SCALARARRAYOPEXPR':
      case 'BOOLEXPR':
        return first(parts())
      case 'COALESCEEXPR':
      case 'MINMAXEXPR': {
        const reasons = nodes(expression['args']).map((part) => this.#expression(part, context))
        return reasons.includes(undefined) ? undefined : reasons[0]
      }
      case 'CASEEXPR':
        return this.#case(expression, context)
      case 'SUBLINK':
        return this.#sublink(expression, context)
      case 'AGGREF':
      case 'WINDOWFUNC':
        return this.#aggregate(expression, context)
      default:
        return `${tag} may be null`
    }
  }

  #case(expression: Node, context: Context): string | undefined {
    const branches = nodes(expression['args']).map((branch) => () => {
      const proven = new Set(context.proven)
      if (!expression['arg']) this.#prove(node(branch['expr']), proven)
      return this.#expression(node(branch['result'])!, { ...context, proven })
    })
    const otherwise = node(expression['defresult'])
    return first([...branches, () => (otherwise ? this.#expression(otherwise, context) : '`case` has no `else`')])
  }

  #sublink(expression: Node, context: Context): string | undefined {
    const type = expression['subLinkType']
    if (type === sublinks.exists || type === sublinks.array) return undefined
    const inner = this.#contextOf(node(expression['subselect'])!, context)
    if (type !== sublinks.expression) {
      return first([
        () => this.#expression(nodes(node(expression['testexpr'])!['args'])[0]!, context),
        () => this.#output(inner, 0),
      ])
    }
    const { query } = inner
    const isAlwaysOne = query['hasAggs'] === 'true' && !query['groupClause'] && !query['havingQual'] && !query['groupingSets']
    const isFromNothing = nodes(query['rtable']).every(({ rtekind }) => rtekind === '8') && !node(query['jointree'])?.['quals']
    return isAlwaysOne || isFromNothing ? this.#output(inner, 0) : 'the subquery may find no row'
  }

  #aggregate(expression: Node, context: Context): string | undefined {
    const { name } = this.#catalog.functions.get((expression['aggfnoid'] ?? expression['winfnoid']) as string)!
    if (countingFunctions.has(name)) return undefined
    const isWindow = expression.tag === 'WINDOWFUNC'
    if (isWindow && /^(lag|lead|nth_value)$/.test(name)) return `${name}() may return null`
    if (expression['aggfilter']) return `${name}() with a filter may have no values`
    if (!isWindow && !context.query['groupClause']) return `${name}() may have no values`
    if (/^(array|json|jsonb)_agg$|_object_agg/.test(name)) return undefined
    const values = nodes(expression['args']).map((part) => (part.tag === 'TARGETENTRY' ? node(part['expr'])! : part))
    return first(values.map((value) => () => this.#expression(value, context)))
  }

  #variable(variable: Node, from: Context): string | undefined {
    let context = from
    for (let up = Number(variable['varlevelsup']); up > 0; up -= 1) context = context.parent!
    if (context.proven.has(keyOf(variable))) return undefined
    const [varno, place] = [Number(variable['varno']), Number(variable['varattno'])]
    const table = nodes(context.query['rtable'])[varno - 1]!
    const name = nodes(table['eref'] ? [table['eref']] : [])[0]!
    const column = (name['colnames'] as string[] | undefined)?.[place - 1] ?? 'a row'
    const joins = outerJoinsOf(variable)
    // A condition on any column of the table rules out the row of nulls that the join adds.
    const isJoined = [...context.proven].some((key) => key.startsWith(`${varno}.`) && key.endsWith(`.${joins}`))
    if (joins !== '' && !isJoined) return `${name['aliasname'] as string}.${column} is from an outer join`
    if (place <= 0) return undefined
    const index = place - 1
    switch (table['rtekind'] as string) {
      case tables.relation:
        return this.#tableColumn(context, varno, place, `${table['relid'] as string}.${place}`)
      case tables.subquery:
        return this.#output(this.#contextOf(node(table['subquery'])!, context), index)
      case tables.join:
        return this.#expression(nodes(table['joinaliasvars'])[index]!, context)
      case tables.group:
        return this.#expression(nodes(table['groupexprs'])[index]!, context)
      case tables.values:
        return first((table['values_lists'] as Value[][]).map((row) => () => this.#expression(node(row[index])!, context)))
      case tables.cte:
        return this.#commonTable(table, context, index)
      case tables.function:
        return this.#functionColumn(table, context, index)
      default:
        return undefined
    }
  }

  #tableColumn(context: Context, varno: number, place: number, key: string): string | undefined {
    const name = this.#catalog.nullableColumns.get(key)
    if (name === undefined) return undefined
    const { query } = context
    const isChanged = context.isAfter && query['resultRelation'] === String(varno)
    const written = isChanged && nodes(query['targetList']).find(({ resno }) => resno === String(place))
    if (!written || query['onConflict']) return `${name} has no not-null constraint`
    return this.#expression(node(written['expr'])!, { ...context, isAfter: false })
  }

  #commonTable(table: Node, from: Context, index: number): string | undefined {
    let context = from
    for (let up = Number(table['ctelevelsup']); up > 0; up -= 1) context = context.parent!
    const common = nodes(context.query['cteList']).find(({ ctename }) => ctename === table['ctename'])!
    return this.#output(this.#contextOf(node(common['ctequery'])!, context), index)
  }

  #functionColumn(table: Node, context: Context, index: number): string | undefined {
    let rest = index
    for (const { funcexpr, funccolcount } of nodes(table['functions'])) {
      if (rest < Number(funccolcount)) {
        const call = node(funcexpr)!
        const name = call['funcid'] && this.#functionOf(call).name
        if (name === 'unnest') return this.#elements(nodes(call['args'])[0]!)
        return rowFunctions.has(name as string)
          ? undefined
          : (this.#expression(call, context) ?? `${String(name)}() may return null`)
      }
      rest -= Number(funccolcount)
    }
    // The ordinal comes after the columns.
    return undefined
  }

  #elements(list: Node): string | undefined {
    const inner = wrappers.has(list.tag) ? node(list['arg'])! : list
    const isBound = inner.tag === 'PARAM' && this.#bound[Number(inner['paramid']) - 1]!.hasNullElements
    return isBound ? 'a value of the list that is bound may be null' : undefined
  }
}

function outputsOf(query: Node): Node[] {
  const outputs = query['commandType'] === commands.select ? query['targetList'] : query['returningList']
  return nodes(outputs).filter(({ resjunk }) => resjunk !== 'true')
}

/** `returning` sees the changed row: conditions on columns that the statement writes no longer hold. */
function afterChange(context: Context): Context {
  const { query } = context
  if (query['commandType'] !== commands.update && query['commandType'] !== commands.insert) return context
  const written = nodes(query['targetList']).map(({ resno }) => `${query['resultRelation'] as string}.${resno as string}.`)
  return { ...context, isAfter: true, proven: new Set([...context.proven].filter((key) => !written.includes(key))) }
}

/** The outer joins that may have made the column null. */
const outerJoinsOf = (variable: Node): string => ((variable['varnullingrels'] ?? []) as string[]).join(' ')

const keyOf = (variable: Node): string =>
  `${variable['varno'] as string}.${variable['varattno'] as string}.${outerJoinsOf(variable)}`

/** The first reason that there is. */
function first(reasons: (() => string | undefined)[]): string | undefined {
  for (const reason of reasons) {
    const found = reason()
    if (found !== undefined) return found
  }
  return undefined
}
