import { lazy } from 'react'

/** The editor is as large as the rest of the mail client: it comes once the page is there, before somebody writes. */
export const loadEditor = () => import('./rich-editor.tsx')

export const RichEditor = lazy(async () => ({ default: (await loadEditor()).RichEditor }))
