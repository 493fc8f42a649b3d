import { Extension } from '@tiptap/core'
import { StarterKit } from '@tiptap/starter-kit'
import { isLinkAddress } from './rich-text.ts'

/** What an email can have: paragraphs, bold, italic, underlined, lists, quotations and links. */
export const KIT = StarterKit.configure({
  ...{ heading: false, code: false, codeBlock: false, horizontalRule: false, strike: false, trailingNode: false },
  link: {
    ...{ openOnClick: false, autolink: true, linkOnPaste: true, defaultProtocol: 'https' },
    HTMLAttributes: { target: null, rel: null, class: null },
    isAllowedUri: (url) => isLinkAddress(url ?? ''),
  },
})

/** Before the keys of the editor: Ctrl+Enter sends, and writes no line. */
export const mailKeys = (openLink: () => void) =>
  Extension.create({
    name: 'mailKeys',
    priority: 1_000,
    addKeyboardShortcuts: () => ({
      'Mod-Enter': () => true,
      'Mod-k': () => {
        openLink()
        return true
      },
    }),
  })
