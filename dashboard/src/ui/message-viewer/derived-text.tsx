import { useQuery } from '@tanstack/react-query'
import { Code } from '../page.tsx'
import { Failed, Loading } from '../states.tsx'
import { texts } from './texts.ts'

/** The text part that an email with HTML alone is going to have. The service makes it by the same function when the email leaves. */
export function DerivedText({ html }: { html: string }) {
  const text = useQuery({
    queryKey: ['derived-text', html],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await import('../../../../src/mail/html-text.ts')).textOf(html),
  })
  if (text.isPending) return <Loading />
  if (text.isError) return <Failed error={text.error} onRetry={() => text.refetch()} />
  return (
    <>
      <p className="muted">{texts.text.generated}</p>
      <Code text={text.data} label={texts.text.label} />
    </>
  )
}
