/**
 * Every statement of the service with the type of its rows, from the source: finds each call of `rows` and of what is made of it,
 * builds the text of its statement by following constants, functions and conditions, and reads the row type from the compiler. A piece that it cannot
 * follow is an error, unless `standIns` says what to prepare in its place.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { API, SymbolFlags, TypeFlags, type Checker, type Project, type Type, type TypeReference } from 'typescript/unstable/sync'
import * as ts from 'typescript/unstable/ast'
import { camelCase, literal, Sql, type Runner } from '../../server/platform/db/db.ts'
import { columnNames, columnValues, recordset } from '../../server/platform/db/recordset.ts'

const root = join(import.meta.dirname, '../..')

/** What a value of a column may be in TypeScript. An array may be a value of an array column or of a JSON column. */
export type Kind = 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | 'object' | 'anything' | { arrayOf: Kind[] }

export type RowColumn = {
  kinds: Kind[]
  isNullable: boolean
  /** The values, if it is a list of texts. */
  texts: string[] | undefined
  /** Whether JSON cannot carry some part of it: a date, bytes. */
  isBeyondJson: boolean
  type: string
}

export type BoundValue = { isNullable: boolean; hasNullElements: boolean }

export type Statement = {
  /** File and line of the call. */
  place: string
  /** File and function of the call. */
  home: string
  /** One text for each branch of its conditions. */
  variants: { text: string; bound: BoundValue[] }[]
  /** Undefined: the call does not read columns. A call that reads one column has it under `onlyColumn`. */
  columns: Map<string, RowColumn> | undefined
}

/** The name of the column of a call that reads the only one of its statement, whatever it is. */
export const onlyColumn = '*'

/** What each call of a `Runner` reads. */
const reads: Record<keyof Runner, 'row' | 'column' | 'nothing'> = {
  rows: 'row',
  maybeOne: 'row',
  one: 'row',
  values: 'column',
  value: 'column',
  maybeValue: 'column',
  rowCount: 'nothing',
  any: 'nothing',
}
const anyRead = new RegExp(`\\.(?:${Object.keys(reads).join('|')})[<(]`)

function readOf({ expression }: ts.CallExpression): keyof Runner | undefined {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name.text : ''
  return name in reads ? (name as keyof Runner) : undefined
}

/** A value that only a running service knows: it is bound as a parameter. Its type is asked for only when it matters. */
class Bound implements BoundValue {
  readonly #checker: Checker
  readonly #typeOf: () => Type
  constructor(checker: Checker, typeOf: () => Type) {
    this.#checker = checker
    this.#typeOf = typeOf
  }
  get isNullable(): boolean {
    return membersOf(this.#typeOf()).some(isNull)
  }
  get hasNullElements(): boolean {
    const arrays = membersOf(this.#typeOf()).filter((member) => this.#checker.isArrayType(member))
    return arrays.some((array) => membersOf(this.#checker.getTypeArguments(array as TypeReference)[0]!).some(isNull))
  }
}

const unknown = Symbol('unknown')
type Env = ReadonlyMap<string, unknown>
type Closure = { node: ts.ArrowFunction | ts.FunctionDeclaration | ts.FunctionExpression; env: Env }
type StandIns = Record<string, string>

const isClosure = (value: unknown): value is Closure => typeof value === 'object' && value !== null && 'node' in value

/**
 * Statements of the files below `server/` that are not tests. `standIns`: the SQL for `file: expression`. The types of columns and
 * bound values are read when they are needed, until `close`.
 */
export function findStatements(standIns: StandIns): { statements: Statement[]; problems: string[]; close(): void } {
  const api = new API({ cwd: root })
  const project = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()[0]!
  return { ...new Finder(project, standIns).find(), close: () => api.close() }
}

class Finder {
  readonly #project: Project
  readonly #standIns: StandIns
  readonly #problems: string[] = []
  readonly #usedStandIns = new Set<string>()
  /** By the number of the type. */
  readonly #columns = new Map<number, RowColumn>()
  readonly #declarations = new Map<ts.Identifier, ts.Node | undefined>()
  /** Which branch the conditions take that only a running service can decide, and the largest number of branches seen. */
  #branch = 0
  #branches = 1

  constructor(project: Project, standIns: StandIns) {
    this.#project = project
    this.#standIns = standIns
  }

  find(): { statements: Statement[]; problems: string[] } {
    const statements: Statement[] = []
    for (const name of this.#project.program.getSourceFileNames()) {
      const path = relative(root, name)
      if (!path.startsWith('server/') || path.endsWith('.test.ts')) continue
      // What is made of `rows` passes on a statement that its caller has written.
      if (path === 'server/platform/db/runner.ts' || !anyRead.test(readFileSync(name, 'utf8'))) continue
      const visit = (node: ts.Node): void => {
        if (ts.isCallExpression(node) && this.#isRead(node)) statements.push(this.#statementOf(node))
        node.forEachChild(visit)
      }
      visit(this.#project.program.getSourceFile(name)!)
    }
    for (const key of Object.keys(this.#standIns)) {
      if (!this.#usedStandIns.has(key)) this.#problems.push(`the stand-in for ${key} is not used`)
    }
    return { statements, problems: this.#problems }
  }

  #isRead(call: ts.CallExpression): boolean {
    const [query, ...others] = call.arguments
    const name = readOf(call)
    if (name === undefined || !query || others.length > 0) return false
    return name === 'rows' || this.#project.checker.getTypeAtLocation(query)?.getSymbol()?.name === 'Sql'
  }

  #statementOf(call: ts.CallExpression): Statement {
    const place = placeOf(call)
    const variants = new Map<string, BoundValue[]>()
    this.#branches = 1
    for (this.#branch = 0; this.#branch < this.#branches; this.#branch += 1) {
      const piece = this.#pieceOf(call.arguments[0]!, new Map())
      if (!piece) continue
      const bound: BoundValue[] = []
      variants.set(render(piece, bound), bound)
    }
    return {
      place,
      home: `${pathOf(call)} ${functionAround(call)}`,
      variants: [...variants].map(([text, bound]) => ({ text, bound })),
      columns: this.#columnsOf(call),
    }
  }

  /** The piece of SQL that an expression stands for; undefined, with a problem noted, if it cannot be followed. */
  #pieceOf(node: ts.Expression, env: Env): Sql | undefined {
    const value = this.#evaluate(node, env)
    if (value instanceof Sql) return value
    const key = `${pathOf(node)}: ${node.getText()}`
    const standIn = this.#standIns[key]
    if (standIn !== undefined) {
      this.#usedStandIns.add(key)
      return new Sql([standIn], [])
    }
    const problem = `${placeOf(node)}: ${node.getText()} cannot be followed`
    if (!this.#problems.includes(problem)) this.#problems.push(problem)
    return undefined
  }

  #choose<Option>(options: readonly Option[]): Option {
    this.#branches = Math.max(this.#branches, options.length)
    return options[this.#branch % options.length]!
  }

  #evaluate(node: ts.Node, env: Env): unknown {
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    )
      return this.#evaluate(node.expression, env)
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
    if (ts.isNumericLiteral(node)) return Number(node.text)
    if (ts.isTaggedTemplateExpression(node)) return node.tag.getText() === 'sql' ? this.#template(node, env) : unknown
    if (ts.isArrowFunction(node) || ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node)) return { node, env }
    if (ts.isIdentifier(node)) return this.#identifier(node, env)
    if (ts.isConditionalExpression(node)) {
      const isTrue = this.#evaluate(node.condition, env)
      const branch = isTrue === unknown || isTrue instanceof Bound ? this.#choose([true, false]) : Boolean(isTrue)
      return this.#evaluate(branch ? node.whenTrue : node.whenFalse, env)
    }
    if (ts.isBinaryExpression(node)) return this.#binary(node, env)
    if (ts.isArrayLiteralExpression(node)) return node.elements.map((element) => this.#evaluate(element, env))
    if (ts.isObjectLiteralExpression(node)) return this.#object(node, env)
    if (ts.isPropertyAccessExpression(node)) return property(this.#evaluate(node.expression, env), node.name.text)
    if (ts.isElementAccessExpression(node)) {
      const of = this.#evaluate(node.expression, env)
      const key = this.#evaluate(node.argumentExpression, env)
      if (typeof key === 'string' || typeof key === 'number') return property(of, String(key))
      return typeof of === 'object' && of !== null && !(of instanceof Sql) ? this.#choose(Object.values(of)) : unknown
    }
    if (ts.isCallExpression(node)) return this.#call(node, env)
    if (ts.isNewExpression(node) && node.expression.getText() === 'Sql') {
      const [strings, values] = node.arguments!.map((argument) => this.#evaluate(argument, env)) as [unknown[], unknown[]]
      return strings.every((text) => typeof text === 'string') ? new Sql(strings, values) : unknown
    }
    return unknown
  }

  #template({ template }: ts.TaggedTemplateExpression, env: Env): Sql {
    if (!ts.isTemplateExpression(template)) return new Sql([template.text], [])
    const { checker } = this.#project
    const strings = [template.head.text, ...template.templateSpans.map(({ literal: part }) => part.text)]
    const expressions = template.templateSpans.map(({ expression }) => expression)
    const values = expressions.map((expression) => this.#evaluate(expression, env))
    const open = expressions.filter((_, index) => !(values[index] instanceof Sql))
    const types = new Map(checker.getTypeAtLocation(open).map((type, index) => [open[index]!, type!]))
    return new Sql(
      strings,
      expressions.map((expression, index) => {
        const value = values[index]
        if (value instanceof Sql) return value
        const type = types.get(expression)!
        const isPiece = type.flags & TypeFlags.Object && type.getSymbol()?.name === 'Sql'
        if (isPiece) return this.#pieceOf(expression, env) ?? new Sql(['null'], [])
        return value instanceof Bound ? value : new Bound(checker, () => type)
      }),
    )
  }

  #identifier(node: ts.Identifier, env: Env): unknown {
    if (env.has(node.text)) return env.get(node.text)
    if (node.text === 'undefined') return undefined
    if (!this.#declarations.has(node)) this.#declarations.set(node, this.#declarationOf(node))
    const declaration = this.#declarations.get(node)
    if (!declaration) return unknown
    if (ts.isFunctionDeclaration(declaration)) return { node: declaration, env: new Map() }
    const isOfSameFile = declaration.getSourceFile() === node.getSourceFile()
    if (!ts.isVariableDeclaration(declaration)) return unknown
    const scope = isOfSameFile ? env : new Map<string, unknown>()
    if (declaration.initializer) return this.#evaluate(declaration.initializer, scope)
    const loop = declaration.parent.parent
    const list = ts.isForOfStatement(loop) && this.#evaluate(loop.expression, scope)
    return Array.isArray(list) ? this.#choose(list) : unknown
  }

  #declarationOf(node: ts.Identifier): ts.Node | undefined {
    const { checker } = this.#project
    const isShorthand = ts.isShorthandPropertyAssignment(node.parent)
    const found = isShorthand ? checker.getShorthandAssignmentValueSymbol(node.parent) : checker.getSymbolAtLocation(node)
    const symbol = found && found.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found
    return symbol?.valueDeclaration?.resolve(this.#project)
  }

  #binary(node: ts.BinaryExpression, env: Env): unknown {
    const left = this.#evaluate(node.left, env)
    const right = this.#evaluate(node.right, env)
    if ([left, right].some((value) => value === unknown || value instanceof Bound)) return unknown
    const operator = node.operatorToken.getText()
    if (operator === '===') return left === right
    if (operator === '!==') return left !== right
    if (operator === '??') return left ?? right
    return unknown
  }

  #object(node: ts.ObjectLiteralExpression, env: Env): unknown {
    const fields: Record<string, unknown> = {}
    for (const member of node.properties) {
      if (ts.isPropertyAssignment(member)) fields[nameOf(member.name)] = this.#evaluate(member.initializer, env)
      else if (ts.isShorthandPropertyAssignment(member)) fields[member.name.getText()] = this.#evaluate(member.name, env)
      else if (ts.isSpreadAssignment(member)) {
        const spread = this.#evaluate(member.expression, env)
        if (typeof spread !== 'object') return unknown
        Object.assign(fields, spread)
      } else return unknown
    }
    return fields
  }

  #call(node: ts.CallExpression, env: Env): unknown {
    const given = node.arguments.map((argument) => this.#evaluate(argument, env))
    const name = node.expression.getText()
    if (name === 'recordset') return this.#recordset(node, given)
    if (name === 'columnNames') return columnNames(given[0] as object, given[1] as string | undefined)
    if (name === 'columnValues') return this.#columnValues(node, given[0] as object)
    if (name === 'newRows') {
      const columns = given[1] as object
      return new Sql(['(', ') select * from ', ''], [columnNames(columns), this.#recordset(node, [undefined, 'n', columns])])
    }
    if (name === 'literal') return literal(typeof given[0] === 'string' ? given[0] : 0)
    const callee = this.#evaluate(node.expression, env)
    if (!isClosure(callee) || !callee.node.body) return unknown
    const inner = new Map(callee.env)
    callee.node.parameters.forEach(({ name: parameter, initializer }, index) => {
      const isGiven = index < given.length && given[index] !== undefined
      const value = isGiven ? given[index] : initializer ? this.#evaluate(initializer, inner) : undefined
      const argument = node.arguments[index]
      bind(parameter, value === unknown && argument ? this.#bound(argument) : value, inner)
    })
    return this.#body(callee.node.body, inner)
  }

  /** A value that cannot be followed, with its type, so that the function it is passed to may bind it. */
  #bound(argument: ts.Expression): Bound {
    const { checker } = this.#project
    return new Bound(checker, () => checker.getTypeAtLocation(argument)!)
  }

  /** The list is bound as one array for each column. */
  #recordset(node: ts.CallExpression, [, alias, columns, ordinal]: unknown[]): Sql {
    const { checker } = this.#project
    const made = recordset([], alias as string, columns as Record<string, 'text'>, ordinal as string | undefined)
    const itemOf = () => checker.getTypeArguments(checker.getTypeAtLocation(node.arguments[0]!)! as TypeReference)[0]!
    const typeOfKey = (key: string) => this.#typeOfProperty(itemOf(), key)
    const values = Object.keys(columns as object).map((key) => ({
      isNullable: false,
      get hasNullElements() {
        return membersOf(typeOfKey(key)).some(isNull)
      },
    }))
    return new Sql(made.strings, values)
  }

  #columnValues(node: ts.CallExpression, columns: object): Sql {
    const { strings } = columnValues(columns, {})
    const item = this.#project.checker.getTypeAtLocation(node.arguments[1]!)!
    const typeOf = (name: string) => this.#typeOfProperty(item, camelCase(name))
    return new Sql(
      strings,
      Object.keys(columns).map((name) => new Bound(this.#project.checker, () => typeOf(name))),
    )
  }

  #typeOfProperty(of: Type, name: string): Type {
    const { checker } = this.#project
    return checker.getTypeOfSymbol(checker.getPropertyOfType(of, name)!)!
  }

  #body(body: ts.Node, env: Env): unknown {
    if (!ts.isBlock(body)) return this.#evaluate(body, env)
    for (const statement of body.statements) {
      if (ts.isReturnStatement(statement)) return statement.expression ? this.#evaluate(statement.expression, env) : undefined
      if (ts.isIfStatement(statement)) {
        const isTrue = this.#evaluate(statement.expression, env)
        const isTaken = isTrue === unknown || isTrue instanceof Bound ? this.#choose([true, false]) : Boolean(isTrue)
        const next = isTaken ? statement.thenStatement : statement.elseStatement
        const result = next ? this.#body(ts.isReturnStatement(next) && next.expression ? next.expression : next, env) : undefined
        if (result !== undefined) return result
      } else if (!ts.isVariableStatement(statement)) return unknown
    }
    return undefined
  }

  #columnsOf(call: ts.CallExpression): Map<string, RowColumn> | undefined {
    const { checker } = this.#project
    const argument = call.typeArguments?.[0]
    const shape = reads[readOf(call)!]
    if (shape === 'nothing') return undefined
    if (shape === 'column') return new Map([[onlyColumn, this.#columnOf(checker.getTypeFromTypeNode(argument!)!)]])
    const promised = checker.getTypeArguments(checker.getTypeAtLocation(call)! as TypeReference)[0]
    const row = argument
      ? checker.getTypeFromTypeNode(argument)!
      : promised && checker.getTypeArguments(promised as TypeReference)[0]
    if (!row || row.flags & TypeFlags.AnyOrUnknown) return undefined
    const symbols = checker.getPropertiesOfType(row)
    const types = checker.getTypeOfSymbol(symbols)
    return new Map(symbols.map(({ name }, index) => [name, this.#columnOf(types[index]!)]))
  }

  #columnOf(type: Type): RowColumn {
    const known = this.#columns.get(type.id)
    if (known) return known
    const members = membersOf(type)
    const isBeyondJson = () => this.#isBeyondJson(type, 4)
    const text = () => this.#project.checker.typeToString(type)
    const given = members.filter((member) => !isNull(member))
    const column: RowColumn = {
      texts: given.every((member) => member.isStringLiteralType()) ? given.map(({ value }) => value) : undefined,
      kinds: given.map((member) => this.#kindOf(member)),
      isNullable: members.some((member) => isNull(member) || member.flags & TypeFlags.AnyOrUnknown),
      get isBeyondJson() {
        return isBeyondJson()
      },
      get type() {
        return text()
      },
    }
    this.#columns.set(type.id, column)
    return column
  }

  #kindOf(type: Type): Kind {
    const { checker } = this.#project
    if (type.flags & TypeFlags.AnyOrUnknown) return 'anything'
    if (type.flags & TypeFlags.StringLike) return 'string'
    if (type.flags & TypeFlags.NumberLike) return 'number'
    if (type.flags & TypeFlags.BooleanLike) return 'boolean'
    if (checker.isArrayType(type)) {
      const element = checker.getTypeArguments(type as TypeReference)[0]!
      return {
        arrayOf: membersOf(element)
          .filter((member) => !isNull(member))
          .map((member) => this.#kindOf(member)),
      }
    }
    const name = type.getSymbol()?.name
    return name === 'Date' || name === 'Buffer' ? name : 'object'
  }

  #isBeyondJson(type: Type, depth: number): boolean {
    const { checker } = this.#project
    return membersOf(type).some((member) => {
      if (!(member.flags & (TypeFlags.Object | TypeFlags.Intersection)) || depth === 0) return false
      if (checker.isArrayType(member)) return this.#isBeyondJson(checker.getTypeArguments(member as TypeReference)[0]!, depth - 1)
      if (['Date', 'Buffer'].includes(member.getSymbol()?.name ?? '')) return true
      return checker.getTypeOfSymbol(checker.getPropertiesOfType(member)).some((of) => of && this.#isBeyondJson(of, depth - 1))
    })
  }
}

const isNull = (type: Type): boolean => Boolean(type.flags & (TypeFlags.Nullable | TypeFlags.Void))

const membersOf = (type: Type): readonly Type[] => (type.isUnionType() ? type.getTypes() : [type])

const pathOf = (node: ts.Node): string => relative(root, node.getSourceFile().fileName)

function placeOf(node: ts.Node): string {
  return `${pathOf(node)}:${node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1}`
}

function functionAround(node: ts.Node): string {
  for (let around = node.parent; around; around = around.parent) {
    if (ts.isFunctionDeclaration(around) || ts.isMethodDeclaration(around)) return around.name!.getText()
    if (!ts.isVariableDeclaration(around) && !ts.isPropertyAssignment(around)) continue
    if (around.initializer && ts.isArrowFunction(around.initializer)) return around.name.getText()
  }
  return '-'
}

const nameOf = (name: ts.PropertyName): string => (ts.isStringLiteral(name) ? name.text : name.getText())

function property(of: unknown, name: string): unknown {
  if (typeof of !== 'object' || of === null || of instanceof Sql || of instanceof Bound || isClosure(of)) return unknown
  return name in of ? (of as Record<string, unknown>)[name] : Array.isArray(of) ? unknown : undefined
}

function bind(name: ts.BindingName, value: unknown, env: Map<string, unknown>): void {
  if (ts.isIdentifier(name)) {
    env.set(name.text, value)
    return
  }
  if (!ts.isObjectBindingPattern(name)) return
  for (const { name: inner, propertyName } of name.elements) {
    if (inner && ts.isIdentifier(inner)) env.set(inner.text, property(value, propertyName ? propertyName.getText() : inner.text))
  }
}

function render(piece: Sql, bound: BoundValue[]): string {
  return piece.strings.reduce((text, part, index) => {
    const value = piece.values[index - 1]
    return `${text}${value instanceof Sql ? render(value, bound) : `$${bound.push(value as Bound)}`}${part}`
  })
}
