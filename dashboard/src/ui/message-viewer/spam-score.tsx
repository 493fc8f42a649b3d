import type { Reply } from '../../api.ts'
import { formatNumber } from '../locale.ts'
import { texts } from './texts.ts'

type Spam = NonNullable<Reply<'messages.checks'>['spam']>

/** What the spam filter of the installation says, and what its score is made of. */
export const SpamScore = ({ spam: { score, threshold, rules } }: { spam: Spam }) => (
  <section className="finding-group" aria-label={texts.spam.label}>
    <h3>{texts.spam.title(formatNumber(score), formatNumber(threshold))}</h3>
    <details>
      <summary>{texts.spam.rules(rules.length)}</summary>
      <ul className="spam-rules">
        {rules.map((rule) => (
          <li key={rule.name}>
            <span>{formatNumber(rule.score)}</span>
            <code>{rule.name}</code>
            <span className="muted">{rule.description}</span>
          </li>
        ))}
      </ul>
    </details>
  </section>
)
