import type { JSONContent } from '@tiptap/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import { composeContent, type EditedResource, type Warning } from './document-api.ts'
import { warningsOf } from './html-warnings.ts'

/** A pause in the writing after which the preview follows. */
const COMPOSE_MS = 300

interface ComposedEmail {
  readonly html: string
  readonly warnings: readonly Warning[]
  readonly problem: string | null
}

/** The html of the blocks as the service makes it, or of an email that is kept as html: that html. */
export function useComposed(resource: EditedResource, content: JSONContent | null, html: string): ComposedEmail {
  const [composed, setComposed] = useState<ComposedEmail>({ html, warnings: [], problem: null })
  const isFirst = useRef(true)
  useEffect(() => {
    if (!content) return
    const abort = new AbortController()
    const compose = async () => {
      try {
        const { html: next, warnings } = await composeContent(resource, content, abort.signal)
        setComposed({ html: next, warnings, problem: null })
      } catch (error) {
        if (!abort.signal.aborted) setComposed((last) => ({ ...last, problem: (error as Error).message }))
      }
    }
    const timer = setTimeout(compose, isFirst.current ? 0 : COMPOSE_MS)
    isFirst.current = false
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [resource, content])
  return useMemo(
    () => (content ? composed : { html, warnings: warningsOf(html, resource), problem: null }),
    [content, composed, html, resource],
  )
}
