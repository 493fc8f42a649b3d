import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { onThisHost } from '../api.ts'
import { texts } from './texts.ts'

interface Attached {
  readonly content_id?: string | null
  readonly content_type: string
  readonly size: number
  readonly download_url: string
}

/** Larger ones are not worth a picture in a preview. */
const MAX_INLINE_BYTES = 5_000_000

/** Pictures that came along with something, as addresses that fetch nothing. */
export function useInlineImages(id: string, attachments: readonly Attached[]): ReadonlyMap<string, string> {
  const inline = attachments.filter(
    ({ content_id, content_type, size }) =>
      content_id && /^image\/(?!svg)/.test(content_type) && size < MAX_INLINE_BYTES,
  )
  const { data } = useQuery({
    queryKey: ['inline-images', id, inline.length],
    enabled: inline.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      Promise.all(inline.map(async (one) => [one.content_id!, await readDataUrl(one.download_url)] as const)),
  })
  return useMemo(() => new Map(data), [data])
}

/** A file that this service serves, as `data:…;base64,…`. */
export async function readDataUrl(url: string): Promise<string> {
  const reply = await fetch(onThisHost(url))
  if (!reply.ok) throw new Error(texts.mail.fileFailed)
  const content = await reply.blob()
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(content)
  })
}
