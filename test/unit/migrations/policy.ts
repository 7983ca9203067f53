import {
  type AlterTableCmd,
  type AlterTableStmt,
  type ColumnDef,
  type Constraint,
  type CreateStmt,
  loadModule,
  type Node,
  parseSync,
  type RangeVar,
} from 'libpg-query'
import { filesOf } from '../../support/migrations/step-files.ts'

await loadModule()

/** What subgraphs/README.md says of steps, a rule each. */
export type Rule =
  | 'drop-or-rename'
  | 'type-change'
  | 'not-null-without-default'
  | 'set-not-null'
  | 'column-rewrite'
  | 'index-not-concurrent'
  | 'constraint-validates'
  | 'several-locks'
  | 'rows-at-once'
  | 'not-readable'
  | 'untested'

export interface Step {
  readonly name: string
  readonly statements: readonly string[]
}

export interface Finding {
  readonly step: string
  readonly rule: Rule
  readonly what: string
}

type Found = readonly [rule: Rule, what: string]

/** The facts that are known while a step is read. */
interface Reading {
  /** Tables that nobody uses yet. */
  readonly made: Set<string>
  /** Tables in use that the step locks against reading or writing. */
  readonly locked: Set<string>
  /** Constraints that it adds, as `table.name`. */
  readonly added: Set<string>
  /** Columns that a constraint keeps from being null: whether it was validated, by `table.name`. */
  readonly notNull: Map<string, { readonly column: string; isValid: boolean }>
}

/** Finds statements in the steps of one subgraph, in their order, that a schema in use does not allow. */
export function review(steps: readonly Step[]): Finding[] {
  const notNull: Reading['notNull'] = new Map()
  return steps.flatMap(({ name, statements }) => {
    const reading = {
      made: new Set(),
      locked: new Set(),
      added: new Set(),
      notNull,
    } satisfies Reading
    const found = statements.flatMap((sql) =>
      (parseSync(sql).stmts ?? []).flatMap(({ stmt }) =>
        stmt ? reviewStatement(stmt, reading) : [],
      ),
    )
    return [...found, ...severalLocks(reading)].map(([rule, what]) => ({ step: name, rule, what }))
  })
}

/** Finds steps whose file, or a part of whose test, is not in the folder of the steps of their subgraph. */
export function reviewFiles(steps: readonly string[], folder: readonly string[]): Finding[] {
  return steps.flatMap((step) =>
    Object.values(filesOf(step))
      .filter((file) => !folder.includes(file))
      .map((file) => ({ step, rule: 'untested' as const, what: file })),
  )
}

function severalLocks({ locked }: Reading): Found[] {
  return locked.size > 1 ? [['several-locks', [...locked].join(', ')]] : []
}

function reviewStatement(node: Node, reading: Reading): Found[] {
  const [kind = ''] = Object.keys(node)
  if (harmless.has(kind)) return []
  if ('CreateStmt' in node) return reviewCreate(node.CreateStmt, reading)
  if ('AlterTableStmt' in node) return reviewAlter(node.AlterTableStmt, reading)
  if ('IndexStmt' in node) {
    const { relation, idxname } = node.IndexStmt
    return reading.made.has(nameOf(relation)) ? [] : [['index-not-concurrent', String(idxname)]]
  }
  if ('GrantStmt' in node) return node.GrantStmt.is_grant ? [] : [['drop-or-rename', 'REVOKE']]
  if ('AlterEnumStmt' in node) {
    return node.AlterEnumStmt.oldVal ? [['drop-or-rename', node.AlterEnumStmt.oldVal]] : []
  }
  if (/^(Drop|Rename|AlterObjectSchema)/.test(kind)) return [['drop-or-rename', kind]]
  return reviewRows(node, reading) ?? reviewLocks(node, reading) ?? [['not-readable', kind]]
}

/** Statements that touch no table in use, or add something that nobody asks for yet. */
const harmless = new Set([
  ...['CommentStmt', 'CreateEnumStmt', 'CreateFunctionStmt', 'CreateSchemaStmt', 'CreateSeqStmt'],
  ...['CreateDomainStmt', 'CompositeTypeStmt', 'DefineStmt', 'ViewStmt'],
])

function reviewRows(node: Node, { made }: Reading): Found[] | null {
  if ('TruncateStmt' in node) return [['rows-at-once', 'TRUNCATE']]
  if ('InsertStmt' in node) {
    const { relation, selectStmt } = node.InsertStmt
    const isList = selectStmt && 'SelectStmt' in selectStmt && selectStmt.SelectStmt.valuesLists
    return isList || made.has(nameOf(relation)) ? [] : [['rows-at-once', nameOf(relation)]]
  }
  if ('UpdateStmt' in node) return [['rows-at-once', nameOf(node.UpdateStmt.relation)]]
  if ('DeleteStmt' in node) return [['rows-at-once', nameOf(node.DeleteStmt.relation)]]
  return null
}

function reviewLocks(node: Node, reading: Reading): Found[] | null {
  if ('CreateTrigStmt' in node) lock(reading, node.CreateTrigStmt.relation)
  else if ('CreatePolicyStmt' in node) lock(reading, node.CreatePolicyStmt.table)
  else if ('AlterPolicyStmt' in node) lock(reading, node.AlterPolicyStmt.table)
  else return null
  return []
}

function reviewCreate(statement: CreateStmt, reading: Reading): Found[] {
  reading.made.add(nameOf(statement.relation))
  for (const node of statement.inhRelations ?? []) {
    if ('RangeVar' in node) lock(reading, node.RangeVar)
  }
  for (const node of statement.tableElts ?? []) {
    for (const constraint of 'ColumnDef' in node ? constraintsOf(node.ColumnDef) : ownOf(node)) {
      if (constraint.pktable) lock(reading, constraint.pktable)
    }
  }
  return []
}

function reviewAlter({ relation, cmds = [], objtype }: AlterTableStmt, reading: Reading): Found[] {
  const table = nameOf(relation)
  if (objtype !== 'OBJECT_TABLE') return [['not-readable', `ALTER of ${table}`]]
  if (reading.made.has(table)) return []
  return cmds.flatMap((node) => {
    if (!('AlterTableCmd' in node)) return []
    const command = node.AlterTableCmd
    if (!locksOnlyChanges(command)) lock(reading, relation)
    return reviewCommand(table, command, reading)
  })
}

/** Whether rows of the table can be read and written meanwhile. */
function locksOnlyChanges(command: AlterTableCmd): boolean {
  return command.subtype === 'AT_ValidateConstraint' || setsAutovacuum(command)
}

function setsAutovacuum({ subtype, def }: AlterTableCmd): boolean {
  if (subtype !== 'AT_SetRelOptions' || !def || !('List' in def)) return false
  const options = def.List.items ?? []
  return options.every(
    (option) => 'DefElem' in option && /^autovacuum_(?!enabled)/.test(option.DefElem.defname ?? ''),
  )
}

function reviewCommand(table: string, command: AlterTableCmd, reading: Reading): Found[] {
  if (setsAutovacuum(command)) return []
  const what = `${table}.${command.name}`
  switch (command.subtype) {
    case 'AT_AddColumn':
      return command.def && 'ColumnDef' in command.def
        ? reviewColumn(table, command.def.ColumnDef, reading)
        : []
    case 'AT_AddConstraint':
      return ownOf(command.def).flatMap((constraint) =>
        reviewConstraint(table, constraint, reading),
      )
    case 'AT_ValidateConstraint':
      return reviewValidation(what, reading)
    case 'AT_SetNotNull':
      return isKeptFromNull(what, reading) ? [] : [['set-not-null', what]]
    case 'AT_AlterColumnType':
      return [['type-change', what]]
    case 'AT_DropColumn':
      return [['drop-or-rename', what]]
    // These changes permit more than before; a default concerns rows to come.
    case 'AT_ColumnDefault':
    case 'AT_DropConstraint':
    case 'AT_DropNotNull':
    case 'AT_SetStatistics':
      return []
    default:
      return [['not-readable', `${command.subtype} ${table}`]]
  }
}

function reviewColumn(table: string, column: ColumnDef, reading: Reading): Found[] {
  const what = `${table}.${column.colname}`
  const constraints = constraintsOf(column)
  const value = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT')
  const isRequired = constraints.some(({ contype }) => contype === 'CONSTR_NOTNULL')
  const isSerial = column.typeName?.names?.some(
    (name) => 'String' in name && /serial/.test(name.String.sval ?? ''),
  )
  const found: Found[] = []
  if (isRequired && !value) found.push(['not-null-without-default', what])
  if (isSerial || (value && !isWrittenOnce(value.raw_expr))) found.push(['column-rewrite', what])
  for (const constraint of constraints) {
    const { contype = '' } = constraint
    if (/IDENTITY|GENERATED/.test(contype)) found.push(['column-rewrite', what])
    if (/CHECK|UNIQUE|PRIMARY|FOREIGN/.test(contype)) found.push(['constraint-validates', what])
    if (constraint.pktable) lock(reading, constraint.pktable)
  }
  return found
}

/** Whether the value is kept with the column instead of in every row. */
function isWrittenOnce(value: Node | undefined): boolean {
  if (!value) return false
  if ('A_Const' in value || 'SQLValueFunction' in value) return true
  if ('TypeCast' in value) return isWrittenOnce(value.TypeCast.arg)
  if (!('FuncCall' in value)) return false
  const name = value.FuncCall.funcname?.at(-1)
  return name !== undefined && 'String' in name && name.String.sval === 'now'
}

function reviewConstraint(table: string, constraint: Constraint, reading: Reading): Found[] {
  const what = `${table}.${constraint.conname ?? constraint.contype}`
  reading.added.add(what)
  if (constraint.pktable) lock(reading, constraint.pktable)
  const column = columnKeptFromNull(constraint)
  if (column) reading.notNull.set(what, { column: `${table}.${column}`, isValid: false })
  const isFree = constraint.skip_validation || constraint.indexname
  return isFree ? [] : [['constraint-validates', what]]
}

function columnKeptFromNull({ raw_expr: test }: Constraint): string | null {
  if (!test || !('NullTest' in test) || test.NullTest.nulltesttype !== 'IS_NOT_NULL') return null
  const { arg } = test.NullTest
  const field = arg && 'ColumnRef' in arg ? arg.ColumnRef.fields?.at(-1) : undefined
  return field && 'String' in field ? (field.String.sval ?? null) : null
}

/** In the transaction that has added it, the rows would be read under the lock of the addition. */
function reviewValidation(what: string, { added, notNull }: Reading): Found[] {
  if (added.has(what)) return [['constraint-validates', what]]
  const constraint = notNull.get(what)
  if (constraint) constraint.isValid = true
  return []
}

function isKeptFromNull(column: string, { notNull }: Reading): boolean {
  return [...notNull.values()].some((known) => known.column === column && known.isValid)
}

function lock({ made, locked }: Reading, table: RangeVar | undefined): void {
  if (!made.has(nameOf(table))) locked.add(nameOf(table))
}

function constraintsOf({ constraints = [] }: ColumnDef): Constraint[] {
  return constraints.flatMap(ownOf)
}

function ownOf(node: Node | undefined): Constraint[] {
  return node && 'Constraint' in node ? [node.Constraint] : []
}

function nameOf(table: RangeVar | undefined): string {
  return `${table?.schemaname}.${table?.relname}`
}
