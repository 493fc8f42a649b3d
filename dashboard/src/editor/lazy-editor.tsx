import { lazy, Suspense } from 'react'
import { Loading } from '../ui/states.tsx'
import type { EmailEditorProps } from './email-editor.tsx'

const EmailEditor = lazy(() => import('./email-editor.tsx'))

/** Fetched when the first email is edited: text editor, blocks and inspector are half a megabyte. */
export const LazyEditor = (props: EmailEditorProps) => (
  <Suspense fallback={<Loading />}>
    <EmailEditor {...props} />
  </Suspense>
)
