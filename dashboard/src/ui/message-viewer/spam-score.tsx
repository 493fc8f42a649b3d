import type { Reply } from '../../api.ts'
import { texts } from '../texts.ts'

type Spam = NonNullable<Reply<'messages.checks'>['spam']>

/** What the spam filter of the installation says, and what its score is made of. */
export const SpamScore = ({ spam: { score, threshold, rules } }: { spam: Spam }) => (
  <section className="finding-group" aria-label={texts.spamScore2}>
    <h3>{texts.spamScore(score, threshold)}</h3>
    <details>
      <summary>{rules.length === 1 ? '1 rule' : `${rules.length} rules`}</summary>
      <ul className="spam-rules">
        {rules.map((rule) => (
          <li key={rule.name}>
            <span>{rule.score}</span>
            <code>{rule.name}</code>
            <span className="muted">{rule.description}</span>
          </li>
        ))}
      </ul>
    </details>
  </section>
)
