import { Badge } from '../../ui/badge.tsx'
import { Facts } from '../../ui/page.tsx'
import type { Authentication } from './api.ts'

/** In a list: DMARC says it all, because it is about the address that people read. */
export const Verdict = ({ authentication }: { authentication: Authentication | null | undefined }) =>
  authentication?.dmarc ? <Badge word={authentication.dmarc.result} /> : <span className="muted">–</span>

/** Whether the mail is from whom it says it is from. */
export function Verdicts({ authentication }: { authentication: Authentication | null | undefined }) {
  if (!authentication) return <p className="muted">Not checked yet.</p>
  const { spf, dkim = [], dmarc } = authentication
  const word = (result: string, detail: string | null | undefined) => (
    <>
      <Badge word={result} /> {detail && <span className="muted">{detail}</span>}
    </>
  )
  return (
    <Facts
      facts={[
        ...(spf ? [['SPF', word(spf.result, spf.domain)] as const] : []),
        ...dkim.map((one, index) => [`DKIM ${index + 1}`, word(one.result, one.domain)] as const),
        ...(dmarc ? [['DMARC', word(dmarc.result, dmarc.domain)] as const] : []),
      ]}
    />
  )
}
