import Type, { type Static } from 'typebox'
import {
  ABSENT_IF_EMPTY,
  BULKY,
  deletedOf,
  Id,
  nullable,
  objectOf,
  oneOf,
  referenceTo,
  searchText,
  Timestamp,
} from '../../kernel/http/shapes.ts'
import { MAX_SUBJECT_LENGTH } from '../../mail/limits.ts'
import { Key } from '../contact-properties/schema.ts'

export const MAX_VARIABLES = 50

export const VARIABLE_TYPES = ['string', 'number', 'boolean', 'object', 'list'] as const
export type VariableType = (typeof VARIABLE_TYPES)[number]

/** What a broadcast fills in by itself, and words that template languages use for their own ends. */
export const RESERVED_KEYS = [
  'FIRST_NAME',
  'LAST_NAME',
  'EMAIL',
  'UNSUBSCRIBE_URL',
  'RESEND_UNSUBSCRIBE_URL',
  'contact',
  'this',
]

const Value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Record(Type.String(), Type.Unknown()),
  Type.Array(Type.Unknown()),
])

export const Variable = Type.Object(
  {
    id: Id,
    key: Key,
    type: oneOf(VARIABLE_TYPES),
    fallback_value: nullable(Value),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'TemplateVariable' },
)

const { key, type, fallback_value } = Variable.properties

const NewVariable = Type.Object({ key, type, fallback_value: Type.Optional(fallback_value) })
export type NewVariable = Static<typeof NewVariable>

export const TEMPLATE_STATUSES = ['draft', 'published'] as const

/** What `q` can say of templates. */
export const TEMPLATE_OPERATORS = ['from', 'subject', 'status', 'before', 'after'] as const

export const TemplateFilter = Type.Object({
  q: Type.Optional(searchText(TEMPLATE_OPERATORS, 'words of the name, the alias and the subject, parts of the sender')),
})

export const TemplateItem = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: 500 }),
    status: oneOf(TEMPLATE_STATUSES),
    published_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
    alias: nullable(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
        maxLength: 255,
        description: 'letters, digits, `.`, `_` and `-`, with a letter or digit first',
      }),
    ),
  },
  { title: 'TemplateItem' },
)

export const Template = Type.Object(
  {
    ...objectOf('template', TemplateItem).properties,
    current_version_id: Id,
    from: nullable(Type.String()),
    subject: nullable(Type.String({ maxLength: MAX_SUBJECT_LENGTH })),
    reply_to: nullable(Type.Array(Type.String())),
    html: Type.String({ ...BULKY, description: 'With variables like `{{{NAME}}}` and `{{{NAME|fallback}}}`.' }),
    text: nullable(Type.String(BULKY)),
    variables: Type.Array(Variable),
    has_unpublished_versions: Type.Boolean(),
  },
  { title: 'Template' },
)

const { name, alias, from, subject, reply_to, html, text, variables } = Template.properties

const Writable = {
  alias: Type.Optional(alias),
  from: Type.Optional(from),
  subject: Type.Optional(subject),
  text: Type.Optional(text),
  reply_to: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 50 }), Type.Null()], ABSENT_IF_EMPTY),
  ),
  variables: Type.Optional(Type.Array(NewVariable, { maxItems: MAX_VARIABLES })),
}

export const CreateTemplate = Type.Object({ name, html, ...Writable }, { title: 'CreateTemplate' })

export const UpdateTemplate = Type.Object(
  { name: Type.Optional(name), html: Type.Optional(html), ...Writable },
  { title: 'UpdateTemplate' },
)

/** What of it counts at once, and belongs to the template. */
export const TemplateHead = Type.Pick(CreateTemplate, ['name', 'alias'])

/** What belongs to a version of it: everything else that is text. */
export const TemplateContent = Type.Omit(CreateTemplate, ['name', 'alias', 'variables'])

/** A version that was published once, or the one that is being written. */
export const TemplateVersionItem = Type.Object(
  {
    id: Id,
    subject,
    is_current: Type.Boolean({ description: 'The current draft.' }),
    is_published: Type.Boolean({ description: 'The version that emails use.' }),
    created_at: Timestamp,
    published_at: nullable(Timestamp),
  },
  { title: 'TemplateVersionItem' },
)

export const TemplateVersion = Type.Object(
  { ...objectOf('template_version', TemplateVersionItem).properties, from, reply_to, html, text, variables },
  { title: 'TemplateVersion' },
)

export const TemplateParams = Type.Object({ idOrAlias: Type.String() })
export const TemplateVersionParams = Type.Object({ ...TemplateParams.properties, versionId: Id })
export const TemplateReference = referenceTo('template')
export const DeletedTemplate = deletedOf('template')
