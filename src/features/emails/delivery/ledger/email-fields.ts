import { join, raw, type Sql, sql } from '../../../../kernel/db/sql.ts'

/** A field of an email that `emails` has a column for. */
interface Field<Value> {
  readonly column: string
  readonly type: 'uuid' | 'text' | 'jsonb' | 'timestamptz' | 'boolean'
  /** True: null when the email has nothing of the kind. */
  readonly isNullable: boolean
  /** Of the type only. */
  readonly value?: Value
}

const required = <Value>(column: string, type: Field<Value>['type']): Field<Value> => ({
  column,
  type,
  isNullable: false,
})

const nullable = <Value>(column: string, type: Field<Value>['type']): Field<Value | null> => ({
  column,
  type,
  isNullable: true,
})

type Addresses = readonly string[]
type Named = readonly { readonly name: string; readonly value: string }[]

/**
 * What an email is, as the ledger and the events know it, with every address as it was given: each field, its column and the type of the
 * column. The types `Email` and `NewEmail`, and whatever reads or writes these columns, are made from it.
 */
const EMAIL = {
  team: required<string>('team_id', 'uuid'),
  id: required<string>('id', 'uuid'),
  messageId: required<string>('message_id', 'text'),
  from: required<string>('"from"', 'text'),
  to: required<Addresses>('"to"', 'jsonb'),
  cc: nullable<Addresses>('cc', 'jsonb'),
  bcc: nullable<Addresses>('bcc', 'jsonb'),
  replyTo: nullable<Addresses>('reply_to', 'jsonb'),
  subject: required<string>('subject', 'text'),
  headers: nullable<Named>('headers', 'jsonb'),
  tags: nullable<Named>('tags', 'jsonb'),
  topicId: nullable<string>('topic_id', 'uuid'),
  templateId: nullable<string>('template_id', 'uuid'),
  domainId: nullable<string>('domain_id', 'uuid'),
  createdAt: required<Date>('created_at', 'timestamptz'),
}
/** Fields that most who make emails leave out. */
const OPTIONAL = {
  /** Set: it is one copy of many. */
  broadcastId: nullable<string>('broadcast_id', 'uuid'),
}
/** Fields that nobody who delivers it reads. */
const NOT_LOADED = {
  /** Null: it was no key that sent it. */
  apiKeyId: nullable<string>('api_key_id', 'uuid'),
  scheduledAt: nullable<Date>('scheduled_at', 'timestamptz'),
}
/** Of these, what most who make emails leave out. */
const NOT_LOADED_OPTIONAL = {
  /** The installation itself sends it. */
  isSystem: nullable<true>('is_system', 'boolean'),
}

type ValuesOf<Fields> = { readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never }

/** The fields of an email that are loaded to deliver it. */
export type LoadedFields = ValuesOf<typeof EMAIL> & Partial<ValuesOf<typeof OPTIONAL>>
/** Those that are only written with it. */
export type WrittenFields = ValuesOf<typeof NOT_LOADED> & Partial<ValuesOf<typeof NOT_LOADED_OPTIONAL>>
/** What `emails` keeps of an email, beside its status. */
export type EmailRow = LoadedFields & Partial<WrittenFields>
type FieldName = keyof EmailRow

const FIELDS: Record<FieldName, Field<unknown>> = { ...EMAIL, ...OPTIONAL, ...NOT_LOADED, ...NOT_LOADED_OPTIONAL }

export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[]

type NullableField = {
  [Name in keyof typeof EMAIL]: null extends ValuesOf<typeof EMAIL>[Name] ? Name : never
}[keyof typeof EMAIL]

/** Every field that may be null, as null: for emails that the program writes itself. */
export const EMPTY_FIELDS = Object.fromEntries(
  Object.entries(EMAIL).flatMap(([name, { isNullable }]) => (isNullable ? [[name, null]] : [])),
) as { readonly [Name in NullableField]: null }

const listOf = (piece: (name: FieldName) => string): Sql => raw(FIELD_NAMES.map(piece).join(', '))

/** `team uuid, "messageId" text, …`: the fields in a JSON text. */
export const RECORD_COLUMNS = listOf((name) => `"${name}" ${FIELDS[name].type}`)
/** `team_id, message_id, …`. */
export const COLUMNS = listOf((name) => FIELDS[name].column)
/** `team, "messageId", …`: what comes out of `RECORD_COLUMNS`, in the order of `COLUMNS`. */
export const RECORD_NAMES = listOf((name) => `"${name}"`)

const LOADED_NAMES = FIELD_NAMES.filter(
  (name) => !(name in NOT_LOADED || name in NOT_LOADED_OPTIONAL),
) as readonly (keyof LoadedFields)[]

/** The columns of `emails e` that make an Email, each as it is or by an expression of its own. */
export const emailColumns = (expressions: { readonly [Name in keyof LoadedFields]?: Sql } = {}): Sql =>
  join(
    LOADED_NAMES.map((name) => {
      const expression = expressions[name] ?? raw(`e.${FIELDS[name].column}`)
      return sql`${expression} as ${raw(`"${name}"`)}`
    }),
    ', ',
  )

export const EMAIL_COLUMNS = emailColumns()

/** The fields that clients can make long, as columns of `emails e`. */
export const LONG_FIELDS = LOADED_NAMES.flatMap((name) => {
  const { column, type, isNullable } = FIELDS[name]
  return type === 'text' || type === 'jsonb' ? [{ name, column: raw(`e.${column}`), type, isNullable }] : []
})
