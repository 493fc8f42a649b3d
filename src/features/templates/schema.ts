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
  Timestamp,
} from '../../kernel/http/shapes.ts'
import { LONGEST_SUBJECT } from '../../mail/limits.ts'
import { Key } from '../contact-properties/schema.ts'

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

const Variable = Type.Object(
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

export const TemplateItem = Type.Object(
  {
    id: Id,
    name: Type.String({ minLength: 1, maxLength: 500 }),
    status: oneOf(['draft', 'published']),
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
    subject: nullable(Type.String({ maxLength: LONGEST_SUBJECT })),
    reply_to: nullable(Type.Array(Type.String())),
    html: Type.String({ ...BULKY, description: 'With `{{{NAME}}}` and `{{{NAME|fallback}}}` where values go.' }),
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
  variables: Type.Optional(Type.Array(NewVariable, { maxItems: 50 })),
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
    is_current: Type.Boolean({ description: 'It is the one that edits go on from.' }),
    is_published: Type.Boolean({ description: 'It is the one that emails are made of.' }),
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
