import { useEffect, useState } from 'react'

/** A value once nobody has changed it for a moment. */
export function useDebounced(value: string, pauseMs: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
