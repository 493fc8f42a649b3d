import { IdParams } from '../../kernel/http/shapes.ts'
import { endpoint, list } from '../definitions.ts'
import { readContent, readCurrentVersion, readVersion, restoreVersion, saveContent } from './actions.ts'
import { composeInWorker, importInWorker } from './composing/editor-pool.ts'
import { connect, connectionRows, disconnect } from './connections.ts'
import { versionRows } from './queries.ts'
import {
  ComposedEmail,
  ComposeEmail,
  CreateEditorConnection,
  EditorConnection,
  EditorConnectionItem,
  EditorContent,
  EditorContentReference,
  EditorResource,
  EditorVersion,
  EditorVersionItem,
  ImportedContent,
  ImportHtml,
  RemovedEditorConnection,
  UpdateEditorContent,
} from './schema.ts'

type Saved = Awaited<ReturnType<typeof saveContent>>

const saved = ({ resource: { type, id }, version, warnings }: Saved) => ({
  object: 'editor_content' as const,
  ...{ resource_type: type, resource_id: id, version, warnings: [...warnings] },
})

export const editorEndpoints = [
  endpoint({
    id: 'editor.content.get',
    route: 'GET /editor/content',
    summary: 'Retrieve the document of a template or broadcast',
    description: 'HTML that was written directly is converted to a document.',
    query: EditorResource,
    reply: EditorContent,
    run: ({ query, services, actor }) => readContent(services, actor, query),
  }),
  endpoint({
    id: 'editor.content.update',
    route: 'POST /editor/content',
    summary: 'Save the document of a template or broadcast',
    description:
      'Its HTML and text are composed from it. Variables that are new are declared. A published template is used as it was until it is published again.',
    // A document that is being written is saved every few seconds, and its versions say by whom.
    audited: false,
    body: UpdateEditorContent,
    reply: EditorContentReference,
    run: async ({ body, services, actor }) => saved(await saveContent(services, actor, body)),
  }),
  list({
    id: 'editor.connections.list',
    route: 'GET /editor/connections',
    summary: 'List who has a document open',
    query: EditorResource,
    item: EditorConnectionItem,
    unlimited: 20,
    rows: ({ query, services, actor }) => connectionRows(services, actor, query),
  }),
  endpoint({
    id: 'editor.connections.create',
    route: 'POST /editor/connections',
    summary: 'Connect to a document',
    description: 'Shows the caller to others who have it open. Expires unless it is repeated.',
    audited: false,
    body: CreateEditorConnection,
    reply: EditorConnection,
    run: ({ body, services, actor }) => connect(services, actor, body),
  }),
  endpoint({
    id: 'editor.connections.remove',
    route: 'DELETE /editor/connections',
    summary: 'Disconnect from a document',
    audited: false,
    body: CreateEditorConnection,
    reply: RemovedEditorConnection,
    run: ({ body, services, actor }) => disconnect(services, actor, body),
  }),
  list({
    id: 'editor.versions.list',
    route: 'GET /editor/versions',
    summary: 'List the versions of a document',
    query: EditorResource,
    item: EditorVersionItem,
    unlimited: 20,
    async rows({ query, services, actor }) {
      const { id, version } = await readCurrentVersion(services, actor, query)
      return versionRows(actor.team, id, version)
    },
  }),
  endpoint({
    id: 'editor.versions.get',
    route: 'GET /editor/versions/:id',
    summary: 'Retrieve a version of a document',
    params: IdParams,
    reply: EditorVersion,
    run: ({ params, services, actor }) => readVersion(services, actor, params.id),
  }),
  endpoint({
    id: 'editor.versions.restore',
    route: 'POST /editor/versions/:id/restore',
    summary: 'Restore a version of a document',
    description: 'Saves it as the next version. HTML that was written directly comes back as it was.',
    params: IdParams,
    reply: EditorContentReference,
    run: async ({ params, services, actor }) => saved(await restoreVersion(services, actor, params.id)),
  }),
  endpoint({
    id: 'editor.compose',
    route: 'POST /editor/compose',
    summary: 'Compose a document',
    description: 'Gives its HTML and text without saving it, and warnings.',
    access: 'read',
    audited: false,
    body: ComposeEmail,
    reply: ComposedEmail,
    async run({ body, actor }) {
      const { html, text, variables, warnings } = await composeInWorker(actor.team, body.content, body.resource_type)
      return {
        object: 'composed_email' as const,
        ...{ html, text, size: Buffer.byteLength(html), variables: [...variables], warnings: [...warnings] },
      }
    },
  }),
  endpoint({
    id: 'editor.import',
    route: 'POST /editor/import',
    summary: 'Convert HTML to a document',
    description: 'Takes any HTML, also what React Email renders. Nothing is saved.',
    access: 'read',
    audited: false,
    body: ImportHtml,
    reply: ImportedContent,
    run: async ({ body, actor }) => ({
      object: 'imported_content' as const,
      content: await importInWorker(actor.team, body.html),
    }),
  }),
]
