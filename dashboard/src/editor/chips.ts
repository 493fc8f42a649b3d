import type { JSONContent } from '@tiptap/core'
import { placeholdersIn } from '../../../src/mail/templates.ts'

/** The inline node that is a variable. */
export const CHIP = 'variable'

export interface Variable {
  readonly name: string
  /** What is sent when there is no value; null: nothing. */
  readonly fallback: string | null
}

export const textOfVariable = ({ name, fallback }: Variable) =>
  fallback ? `{{{${name}|${fallback}}}}` : `{{{${name}}}}`

/** What stands in an attribute of a chip: a text without the braces that would end it. */
export const asFallback = (text: string) => text.replace(/[{}]/g, '').trim() || null

/** Names have letters, digits, underscores and dots. */
export const asName = (text: string) => text.replace(/[^A-Za-z0-9_.]/g, '')

/** A document with the variables in its texts as nodes, as programs and imports may not have written them. Code stays as it is. */
export function withChips(node: JSONContent): JSONContent {
  if (!node.content || node.type === 'codeBlock') return node
  return { ...node, content: node.content.flatMap((child) => (child.text ? splitText(child) : [withChips(child)])) }
}

function splitText(node: JSONContent): JSONContent[] {
  const text = node.text!
  const isCode = node.marks?.some(({ type }) => type === 'code')
  const found = isCode ? [] : placeholdersIn(text)
  if (found.length === 0) return [node]
  const parts: JSONContent[] = []
  let done = 0
  for (const { name, fallback, start, end } of found) {
    if (start > done) parts.push({ ...node, text: text.slice(done, start) })
    const { text: _, ...marked } = node
    parts.push({ ...marked, type: CHIP, attrs: { name, fallback: fallback || null } })
    done = end
  }
  if (done < text.length) parts.push({ ...node, text: text.slice(done) })
  return parts
}
