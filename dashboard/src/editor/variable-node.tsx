import { EmailNode } from '@react-email/editor/core'
import { InputRule, mergeAttributes } from '@tiptap/core'
import { Mention } from '@tiptap/extension-mention'
import { asFallback, CHIP, textOfVariable, type Variable } from './chips.ts'
import type { SuggestionMenu } from './suggestion-menu.ts'

/** What opens the list of variables. A third brace may follow, since this is how they are written. */
const TRIGGER = '{{'
const TYPED = /\{\{\{\s*([A-Za-z0-9_.]+)\s*(?:\|([^{}]*))?\}\}\}$/

/** A variable as one piece: it is selected, moved and deleted as a whole. Its attributes are those of the service's schema. */
export const variableNode = (menu: SuggestionMenu) =>
  EmailNode.from(
    Mention.extend({
      name: CHIP,
      addAttributes: () => ({
        name: { default: '', parseHTML: (element) => element.getAttribute('data-variable') },
        fallback: { default: null, parseHTML: (element) => element.getAttribute('data-fallback') },
      }),
      parseHTML: () => [{ tag: 'span[data-variable]' }],
      renderHTML: ({ node, HTMLAttributes }) => {
        const { name, fallback } = node.attrs as Variable
        const own = {
          'data-variable': name,
          ...(fallback && { 'data-fallback': fallback }),
          class: 'node-variable variable-chip',
          title: textOfVariable({ name, fallback }),
        }
        return ['span', mergeAttributes(HTMLAttributes, own), name, ...(fallback ? [['i', {}, fallback]] : [])]
      },
      renderText: ({ node }) => textOfVariable(node.attrs as Variable),
      addInputRules() {
        return [
          new InputRule({
            find: TYPED,
            handler: ({ range, match, chain }) => {
              const attrs = { name: match[1], fallback: asFallback(match[2] ?? '') }
              chain().insertContentAt(range, { type: CHIP, attrs }).run()
            },
          }),
        ]
      },
    }).configure({
      suggestion: {
        char: TRIGGER,
        allowedPrefixes: null,
        items: ({ query }) => menu.itemsFor(query.replace(/^\{/, '')),
        command: ({ editor, range, props }) => {
          const { name, fallback } = props as unknown as Variable
          editor.chain().focus().insertContentAt(range, { type: CHIP, attrs: { name, fallback } }).run()
        },
        render: () => menu,
      },
    }),
    ({ node }) => textOfVariable(node.attrs as Variable),
  )
