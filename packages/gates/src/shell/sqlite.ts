import type { Understood } from './languages.ts'
import { type OptionRule, readOptions } from './options.ts'
import type { Field } from './words.ts'

const mayPrecedeBracket = new Set(
  (
    'abs avg char coalesce concat concat_ws count cume_dist date datetime dense_rank exp first_value format glob ' +
    'group_concat hex ifnull iif instr json json_array json_array_length json_each json_extract ' +
    'json_group_array json_group_object json_object json_patch json_pretty json_quote json_tree json_type ' +
    'json_valid julianday lag last_value lead length like ln log log10 log2 lower ltrim max min mod nth_value ' +
    'ntile nullif octet_length percent_rank pi pow power printf quote rank replace round row_number rtrim sign ' +
    'sqlite_version sqrt strftime string_agg substr substring sum time timediff total total_changes trim trunc typeof ' +
    'unicode unixepoch upper bm25 highlight snippet ceil floor changes last_insert_rowid ' +
    'pragma_table_info pragma_table_xinfo pragma_index_list pragma_index_info pragma_table_list ' +
    'pragma_foreign_key_list pragma_database_list pragma_compile_options ' +
    'select from where and or not in as on using values over filter exists case when then else having by ' +
    'between limit offset union all except intersect distinct cast is match join materialized'
  ).split(' '),
)

const changes =
  /\b(insert|update|delete|create|drop|alter|attach|detach|vacuum|reindex|analyze|begin|commit|rollback|savepoint|release|load_extension|returning)\b|\breplace\s+into\b/i

const pragmas =
  /^pragma\s+(\w+\.)?(table_info|table_xinfo|table_list|index_list|index_info|index_xinfo|foreign_key_list|foreign_key_check|database_list|integrity_check|quick_check|user_version|schema_version|page_count|page_size|freelist_count|encoding|journal_mode|compile_options|collation_list|function_list|application_id)\s*(\(\s*['"]?\w*['"]?\s*\))?$/i

/** Whether SQL only selects, with functions that are known to compute and no more. */
export function isSafeSql(sql: string): boolean {
  if (/--|\/\*|\*\/|\\|^\s*\./.test(sql)) return false
  const plain = sql.replace(/'(?:[^']|'')*'/g, "''")
  if ((plain.match(/'/g)?.length ?? 0) % 2 === 1 || changes.test(plain)) return false
  const statements = plain.split(';').map((each) => each.trim())
  return statements.every((each) => each === '' || isReading(each))
}

function isReading(statement: string): boolean {
  if (/^pragma\b/i.test(statement)) {
    const sets = /journal_mode|user_version|application_id/i.test(statement)
    return pragmas.test(statement) && !(sets && statement.includes('('))
  }
  if (!/^(explain\s+(query\s+plan\s+)?)?(select|with|values)\b/i.test(statement)) return false
  if (/["'`\]]\s*\(/.test(statement)) return false
  return [...statement.matchAll(/([^\s(),;=<>+*/|%-]+)\s*\(/g)].every(
    ([, name = '']) => mayPrecedeBracket.has(name.toLowerCase()) || isColumnList(statement, name),
  )
}

/** A name of a common table may have its columns behind it: `with days(n) as (…)`. */
function isColumnList(sql: string, name: string): boolean {
  if (!/^\w+$/.test(name) || knownDangers.test(name)) return false
  return new RegExp(`(\\bwith|\\brecursive|,)\\s+${name}\\s*\\([\\w\\s,]*\\)\\s+as\\b`, 'i').test(
    sql,
  )
}

const knownDangers = /file|fsdir|lsdir|edit|shell|extension|eval|zip|dbpage|tokenizer/i

const dotCommand =
  /^\.(tables|schema|indexes|indices|databases|dbinfo|fullschema|headers?|mode|show|stats|dump|width|nullvalue)(\s+-{0,2}[\w%*]+)*\s*$/

const rule: OptionRule = {
  options: '-# --',
  operands: 'path text*',
  least: 2,
}

const flags =
  /^--?(readonly|safe|batch|bail|header|noheader|column|csv|json|line|list|box|table|markdown|html|quote|tabs|ascii)$/
const valued = /^--?(separator|nullvalue|newline|maxsize)$/

/** Reads the arguments of sqlite3; a string is the word that was not understood. */
export function readSqlite(fields: readonly Field[]): Understood | string {
  let index = 0
  let readOnly = false
  for (; fields[index]?.value.startsWith('-') === true; index++) {
    const { value, known } = fields[index] as Field
    if (!known) return value
    if (/^--?(readonly|safe)$/.test(value)) readOnly = true
    if (valued.test(value)) index++
    else if (!flags.test(value)) return value
  }
  const found = readOptions(rule, fields.slice(index))
  if (typeof found === 'string') return found
  const [file, ...statements] = found
  if (file === undefined || /[:\0]/.test(file.field.value)) return file?.field.value ?? ''
  if (!readOnly && !/\.(db|db3|sqlite|sqlite3|sdb)$/.test(file.field.value)) return file.field.value
  for (const { field } of statements) {
    if (!field.known || field.varying) return field.value
    if (!dotCommand.test(field.value) && !isSafeSql(field.value)) return field.value
  }
  return { found: [{ ...file, role: 'path' }, ...statements] }
}
