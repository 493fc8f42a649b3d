import Type, { type Static } from 'typebox'
import { Id, nullable, oneOf, referenceTo, Timestamp, withDefault } from '../../../kernel/http/shapes.ts'
import type { PropertyType } from '../../contact-properties/schema.ts'
import { Key } from '../../contact-properties/schema.ts'
import { ContactFields, SegmentIds, TopicChoice } from '../schema.ts'

const STATUSES = ['queued', 'in_progress', 'completed', 'failed'] as const

export const Counts = Type.Object({
  total: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
  failed: Type.Integer(),
})

export const ContactImport = Type.Object(
  {
    object: Type.Literal('contact_import'),
    id: Id,
    status: oneOf(STATUSES),
    created_at: Timestamp,
    completed_at: nullable(Timestamp),
    counts: Counts,
  },
  { title: 'ContactImport' },
)

/** A row of the file that became no contact. */
export const ImportError = Type.Object(
  {
    id: Id,
    row: Type.Integer({ description: 'In the file, where the header is row 1 and empty lines do not count.' }),
    column: nullable(Type.String({ description: 'The name of the column; null: the whole row.' })),
    value: nullable(Type.String({ description: 'First 200 characters.' })),
    reason: Type.String({ examples: ['Not a valid email address.'] }),
    record: Type.Record(Type.String(), Type.String(), {
      description: 'The cells of the row by the names of their columns, up to 4,000 characters in all.',
    }),
  },
  { title: 'ContactImportError' },
)

export const ContactImportReference = referenceTo('contact_import')

export const ImportFilter = Type.Object({ status: Type.Optional(oneOf(STATUSES)) })

export type ContactColumn = keyof Static<typeof ContactFields>
export const CONTACT_COLUMNS = Object.keys(ContactFields.properties) as ContactColumn[]

/**
 * What a file may say of each row besides. Only where the map names the column: a file that happens to have one of that name is read as it
 * always was.
 */
export const ROW_COLUMNS = ['created_at', 'segments', 'topics'] as const
export type RowColumn = (typeof ROW_COLUMNS)[number]

const Name = Type.Optional(Type.String())

/** Which column of the file holds what. Without it the columns' names decide. */
export const ColumnMap = Type.Object({
  ...(Object.fromEntries(CONTACT_COLUMNS.map((name) => [name, Name])) as Record<ContactColumn, typeof Name>),
  created_at: Type.Optional(
    Type.String({ description: 'A time like `2026-01-31T09:30:00Z`, for contacts that are new.' }),
  ),
  segments: Type.Optional(Type.String({ description: 'Names or ids of segments: `Readers; Customers`.' })),
  topics: Type.Optional(Type.String({ description: 'Names or ids of topics: `News=opt_in; Offers=opt_out`.' })),
  properties: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ column: Type.String(), type: withDefault(oneOf(['string', 'number', 'boolean']), 'string') }),
      { propertyNames: Key },
    ),
  ),
})

/** The parts of the form besides the file: JSON in text, except for `on_conflict`. */
export const ImportForm = Type.Object({
  column_map: Type.Optional(ColumnMap),
  on_conflict: withDefault(oneOf(['upsert', 'skip']), 'upsert'),
  segments: Type.Optional(SegmentIds),
  topics: Type.Optional(Type.Array(TopicChoice)),
})

/** As the OpenAPI document shows the form. */
export const ImportUpload = Type.Object({
  file: Type.String({
    format: 'binary',
    description: 'The CSV file, in UTF-8, with the names of the columns in its first line.',
  }),
  column_map: Type.Optional(
    Type.String({
      description:
        'JSON: {"email": "Mail", "segments": "Segments", "topics": "Topics", "created_at": "Since", "properties": {"plan": {"column": "Plan"}}}',
    }),
  ),
  on_conflict: ImportForm.properties.on_conflict,
  segments: Type.Optional(Type.String({ description: 'JSON: [{"id": "…"}]' })),
  topics: Type.Optional(Type.String({ description: 'JSON: [{"id": "…", "subscription": "opt_in"}]' })),
})

/** Everything that the job needs to know, decided when the file came in. Columns are numbers from 0. */
export interface ImportPlan {
  readonly delimiter: string
  /** Of the columns. Not there: the import began with a version that did not keep them. */
  readonly names?: readonly string[]
  readonly columns: { readonly [Name in ContactColumn]?: number }
  /** Not there: the import began with a version that did not know them. */
  readonly rowColumns?: { readonly [Name in RowColumn]?: number }
  readonly properties: readonly { readonly id: string; readonly type: PropertyType; readonly column: number }[]
  readonly onConflict: Static<typeof ImportForm>['on_conflict']
  readonly segments: readonly string[]
  readonly topics: readonly Static<typeof TopicChoice>[]
}
