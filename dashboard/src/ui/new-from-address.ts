import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useSearchParams, type Words } from './search-params.ts'

/** Calls `open` when the address asks for the form of a new one (`?new=1`), as links and commands do; then the address is as before. */
export function useNewFromAddress(open: () => void) {
  const isAsked = useSearchParams().words.new !== undefined
  const navigate = useNavigate()
  const latest = useRef(open)
  latest.current = open
  useEffect(() => {
    if (!isAsked) return
    latest.current()
    void navigate({ to: '.', search: (old: Words) => ({ ...old, new: undefined }), replace: true })
  }, [isAsked, navigate])
}
