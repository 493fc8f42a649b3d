import Type, { type Static } from 'typebox'
import {
  BULKY,
  BYTES,
  deletedOf,
  Id,
  nullable,
  objectOf,
  oneOf,
  Timestamp,
  withDefault,
} from '../../kernel/http/shapes.ts'
import { IMAGE_TYPES, MAX_IMPORT_LENGTH, RESOURCE_TYPES, WARNING_CODES } from './limits.ts'

export * from './limits.ts'

const resource_type = oneOf(RESOURCE_TYPES)
const resource_id = Type.String({ minLength: 1, maxLength: 255, description: 'Of a template, also its alias.' })

/** The template or broadcast that a document belongs to. */
export const EditorResource = Type.Object({ resource_type, resource_id })
export type EditorResource = Static<typeof EditorResource>

/** The document: TipTap JSON with the nodes of `@react-email/editor`. `GET /api/agent/prompt` describes them. */
const Content = Type.Record(Type.String(), Type.Unknown(), {
  ...BULKY,
  description: 'TipTap JSON: `{"type":"doc","content":[…]}`. `GET /api/agent/prompt` describes its nodes.',
})
export type Content = Static<typeof Content>

export const AUTHOR_TYPES = ['user', 'api_key', 'oauth_token', 'agent'] as const

export const Author = Type.Object(
  { type: oneOf(AUTHOR_TYPES), name: Type.String() },
  { title: 'EditorAuthor', description: 'A person, an API key, an application, or an agent by the name that it gave.' },
)

const version = Type.Integer({ minimum: 0, description: 'Grows with every save. 0: never saved in the editor.' })

export const EditorWarning = Type.Object(
  {
    code: oneOf(WARNING_CODES),
    count: Type.Integer({ description: 'How many images or links it is about, or 1.' }),
    message: Type.String(),
  },
  { title: 'EditorWarning' },
)

export const EditorContent = Type.Object(
  {
    object: Type.Literal('editor_content'),
    resource_type,
    resource_id: Id,
    version,
    content: Content,
    source: oneOf(['document', 'html']),
    author: nullable(Author),
    updated_at: nullable(Timestamp),
  },
  {
    title: 'EditorContent',
    description:
      'With the source `html` the document was made from HTML that was written directly, and saving it replaces that HTML.',
  },
)

export const UpdateEditorContent = Type.Object(
  {
    ...EditorResource.properties,
    content: Content,
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'The version that was edited. If it is no longer the current one, nothing is saved: 409.',
      }),
    ),
  },
  { title: 'UpdateEditorContent' },
)

export const EditorContentReference = Type.Object(
  {
    object: Type.Literal('editor_content'),
    resource_type,
    resource_id: Id,
    version,
    warnings: Type.Array(EditorWarning),
  },
  { title: 'EditorContentReference' },
)

export const EditorConnectionItem = Type.Object(
  {
    id: Id,
    type: oneOf(AUTHOR_TYPES),
    name: Type.String(),
    is_own: Type.Boolean({ description: 'Whether it belongs to the person or key of this request.' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'EditorConnectionItem' },
)

export const CreateEditorConnection = Type.Object(
  {
    ...EditorResource.properties,
    agent_name: Type.Optional(Type.String({ maxLength: 100, description: 'Shown to others who have it open.' })),
  },
  { title: 'CreateEditorConnection' },
)

export const EditorConnection = Type.Object(
  {
    object: Type.Literal('editor_connection'),
    id: Id,
    room_id: Type.String(),
    apiKeyId: nullable(Id),
    expires_at: Timestamp,
  },
  { title: 'EditorConnection' },
)

export const RemovedEditorConnection = Type.Object(
  { object: Type.Literal('editor_connection'), deleted: Type.Boolean() },
  { title: 'RemovedEditorConnection' },
)

/** A version of a document: what one author saved without a long pause. */
export const EditorVersionItem = Type.Object(
  {
    id: Id,
    version,
    author: nullable(Author),
    source: EditorContent.properties.source,
    is_current: Type.Boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'EditorVersionItem' },
)

export const EditorVersion = Type.Object(
  { ...objectOf('editor_version', EditorVersionItem).properties, resource_type, resource_id: Id, content: Content },
  { title: 'EditorVersion' },
)

export const ComposeEmail = Type.Object(
  {
    content: Content,
    resource_type: withDefault(oneOf(RESOURCE_TYPES), 'template'),
  },
  { title: 'ComposeEmail' },
)

export const ComposedEmail = Type.Object(
  {
    object: Type.Literal('composed_email'),
    html: Type.String(BULKY),
    text: Type.String(BULKY),
    size: Type.Integer({ description: 'Of the HTML, in bytes.' }),
    variables: Type.Array(Type.Object({ key: Type.String(), fallback_value: nullable(Type.String()) })),
    warnings: Type.Array(EditorWarning),
  },
  { title: 'ComposedEmail' },
)

export const ImportHtml = Type.Object(
  { html: Type.String({ ...BULKY, maxLength: MAX_IMPORT_LENGTH, description: 'HTML, or what React Email renders.' }) },
  { title: 'ImportHtml' },
)

export const ImportedContent = Type.Object(
  { object: Type.Literal('imported_content'), content: Content },
  { title: 'ImportedContent' },
)

export const EditorImageItem = Type.Object(
  {
    id: Id,
    url: Type.String({ description: 'Public, and valid as long as the image exists.' }),
    filename: nullable(Type.String()),
    content_type: oneOf(IMAGE_TYPES),
    size: Type.Integer({ description: 'In bytes.' }),
    width: nullable(Type.Integer()),
    height: nullable(Type.Integer()),
    created_at: Timestamp,
  },
  { title: 'EditorImageItem' },
)

export const EditorImage = Type.Object(objectOf('editor_image', EditorImageItem).properties, { title: 'EditorImage' })

export const CreateEditorImage = Type.Object(
  {
    content: Type.String({ ...BYTES, ...BULKY, description: 'Base64 of a PNG, JPEG, GIF or WebP file, at most 5 MB.' }),
    filename: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: 'CreateEditorImage' },
)

export const DeletedEditorImage = deletedOf('editor_image')
