import { composeReactEmail } from '@react-email/editor/core'
import { EmailTheming, getEmailTheming, getMergedCssJs, getResolvedNodeStyles } from '@react-email/editor/plugins'
import type { Node } from '@tiptap/pm/model'
import { textOf } from '../../../mail/html-text.ts'
import { placeholdersIn } from '../../../mail/templates.ts'
import type { ResourceType, Warning } from '../limits.ts'
import { extensions, globalContentOf, readDocument, schema } from './document.ts'
import { warningsOf } from './warnings.ts'

export interface Composed {
  /** As the schema has it. */
  readonly content: Readonly<Record<string, unknown>>
  readonly html: string
  readonly text: string
  readonly variables: readonly { readonly key: string; readonly fallback_value: string | null }[]
  readonly warnings: readonly Warning[]
}

/** Html and text of a document. A broadcast has its preview text in a field of its own, which is put in when it is sent. */
export async function compose(content: unknown, resourceType: ResourceType): Promise<Composed> {
  const doc = readDocument(content)
  const preview = resourceType === 'template' ? globalContentOf(doc).preview : undefined
  const { html, unformattedHtml } = await composeReactEmail({ editor: editorOf(doc), ...(preview && { preview }) })
  return {
    content: doc.toJSON(),
    html,
    // The names of variables are what they are: React Email's own text has headings in capitals.
    text: textOf(unformattedHtml).replace(/\n{3,}/g, '\n\n'),
    variables: variablesIn(html),
    warnings: warningsOf(doc, html, resourceType),
  }
}

type Editor = Parameters<typeof composeReactEmail>[0]['editor']

/** How an extension takes part in composing. */
interface SerializerPlugin {
  readonly BaseTemplate: unknown
  getNodeStyles(node: Parameters<typeof getResolvedNodeStyles>[0], depth: number): object
}

/**
 * What composing asks of an editor: one that shows nothing. A whole one would load highlighters by the names that documents give them. The
 * theme is worked out once, and not for each node, which was half of the time.
 */
function editorOf(doc: Node): Editor {
  const editor = { schema, state: { doc }, extensionManager: { extensions }, getJSON: () => doc.toJSON() }
  const { theme, styles } = getEmailTheming(editor as unknown as Editor)
  const merged = getMergedCssJs(theme, styles)
  const plugin: SerializerPlugin = {
    BaseTemplate: themingPlugin.BaseTemplate,
    getNodeStyles: (node, depth) => getResolvedNodeStyles(node, depth, merged),
  }
  const themed = { name: 'themed', options: { serializerPlugin: plugin } }
  return { ...editor, extensionManager: { extensions: [...extensions, themed] } } as unknown as Editor
}

const { serializerPlugin: themingPlugin } = EmailTheming.options as { serializerPlugin: SerializerPlugin }

function variablesIn(html: string): Composed['variables'] {
  const variables = new Map<string, string | null>()
  for (const { name, fallback } of placeholdersIn(html))
    variables.set(name, variables.get(name) ?? (fallback === '' ? null : unescapeHtml(fallback)))
  return [...variables].map(([key, fallback_value]) => ({ key, fallback_value }))
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'", '&#39;': "'" },
}

const unescapeHtml = (text: string) => text.replace(/&(?:amp|lt|gt|quot|#x27|#39);/g, (entity) => ENTITIES[entity]!)
