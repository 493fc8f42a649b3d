import { StarterKit } from '@react-email/editor/extensions'
import { EmailTheming, useEditorImage } from '@react-email/editor/plugins'
import type { Extensions } from '@tiptap/core'
import { Placeholder } from '@tiptap/extension-placeholder'
import { useMemo, useState } from 'react'
import { imageView } from './image-view.ts'
import { SuggestionMenu } from './suggestion-menu.ts'
import { texts } from './texts.ts'
import { variableNode } from './variable-node.tsx'

/** The blocks of a document, with what only an open editor has: chips, and images that are uploaded when they are dropped or pasted. */
export function useExtensions(uploadImage: (file: File) => Promise<{ url: string }>): {
  extensions: Extensions
  variables: SuggestionMenu
} {
  const image = useEditorImage({ uploadImage })
  const [variables] = useState(() => new SuggestionMenu())
  const extensions = useMemo(
    () => [
      StarterKit,
      EmailTheming,
      image.extend({ addNodeView: () => imageView }),
      variableNode(variables),
      Placeholder.configure({
        placeholder: ({ node }) => (node.type.name === 'heading' ? texts.nodes.heading : texts.canvas.placeholder),
        includeChildren: true,
      }),
    ],
    [image, variables],
  )
  return { extensions, variables }
}
