import type { Item } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Facts } from '../../ui/page.tsx'
import { texts } from './texts.ts'

type Authentication = Item<'emails.receiving.list'>['authentication']

/** In a list: DMARC says it all, because it is about the address that people read. */
export const Verdict = ({ authentication }: { authentication: Authentication }) =>
  authentication ? <Badge word={authentication.dmarc.result} /> : <span className="muted">–</span>

/** Whether the mail is from whom it says it is from. */
export function Verdicts({ authentication }: { authentication: Authentication }) {
  if (!authentication) return <p className="muted">{texts.authentication.notChecked}</p>
  const { spf, dkim, dmarc, arc } = authentication
  const word = (result: string, detail: string | null = null) => (
    <>
      <Badge word={result} /> {detail && <span className="muted">{detail}</span>}
    </>
  )
  return (
    <Facts
      facts={[
        ['SPF', word(spf.result, spf.domain)],
        ...dkim.map(
          (one, index) => [dkim.length > 1 ? `DKIM ${index + 1}` : 'DKIM', word(one.result, one.domain)] as const,
        ),
        [
          'DMARC',
          word(
            dmarc.result,
            dmarc.domain && dmarc.policy ? texts.authentication.dmarcPolicy(dmarc.domain, dmarc.policy) : dmarc.domain,
          ),
        ],
        ...(arc.result === 'none' ? [] : [['ARC', word(arc.result)] as const]),
      ]}
    />
  )
}
