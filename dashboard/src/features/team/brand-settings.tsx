import { type ChangeEvent, type FormEvent, useState } from 'react'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE, UpdateTeam } from '../../../../src/features/teams/schema.ts'
import { call, type Reply } from '../../api.ts'
import { uploadImage } from '../../editor/document-api.ts'
import { fieldOf, showHere } from '../../problems.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Card } from '../../ui/page.tsx'
import { constraintsOf, rulesOf } from '../../ui/schema-field.ts'
import './brand-settings.css'
import { texts } from './texts.ts'

type Team = Reply<'team.get'>

/** How the team looks to recipients. */
export const BrandSettings = ({ team }: { team: Team }) => (
  <Card title={texts.brand.title}>
    <div className="form">
      <p className="muted">{texts.brand.note}</p>
      <Logo url={team.logo_url} />
      <AccentColor key={team.accent_color} saved={team.accent_color ?? ''} />
    </div>
  </Card>
)

const KILOBYTES = formatNumber(MAX_LOGO_BYTES / 1024)

/** Saved when a file is chosen: there is nothing else to decide. */
function Logo({ url }: { url: string | null }) {
  const { logo } = texts.brand
  const [problem, setProblem] = useState<string>()
  const save = useAct({
    run: async (file: File) => call('team.update', { body: { logo_image_id: (await uploadImage(file)).id } }),
    refresh: ['team'],
    done: logo.saved,
  })
  const remove = useAct({
    run: () => call('team.update', { body: { logo_image_id: null } }),
    refresh: ['team'],
    done: logo.removed,
  })
  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? []
    if (!file) return
    // Before it is uploaded: an image that is no logo would stay among those of the editor.
    const isTooLarge = file.size > MAX_LOGO_BYTES
    setProblem(isTooLarge ? logo.tooLarge(KILOBYTES) : undefined)
    if (!isTooLarge) await save.mutateAsync(file).catch((error: Error) => setProblem(reasonOf(error)))
    // The same file can be chosen again.
    currentTarget.value = ''
  }
  return (
    <>
      <Field label={logo.label} hint={logo.hint(KILOBYTES, formatNumber(MAX_LOGO_SIDE))} problem={problem}>
        {(common) => (
          <>
            {url !== null && <img className="brand-logo" src={pathOf(url)} alt={logo.alt} />}
            <input
              {...common}
              type="file"
              accept="image/png,image/jpeg,image/gif,image/webp"
              disabled={save.isPending}
              onChange={choose}
            />
          </>
        )}
      </Field>
      {url !== null && (
        <div className="actions">
          <Button isBusy={remove.isPending} onClick={() => remove.mutate()}>
            {logo.remove}
          </Button>
        </div>
      )}
    </>
  )
}

/** What the API says of the content is about base64. */
function reasonOf(error: Error): string {
  const text = showHere(error)
  return fieldOf(error) === 'content' ? texts.brand.logo.notImage : text
}

/** From here, whatever name the dashboard was opened by: its policy allows images of no other host. */
const pathOf = (url: string) => new URL(url).pathname

const PICKED_WITHOUT = '#000000'

function AccentColor({ saved }: { saved: string }) {
  const { color } = texts.brand
  const [typed, setTyped] = useState(saved)
  const [problem, setProblem] = useState<string>()
  const save = useAct({
    run: (accent_color: string | null) => call('team.update', { body: { accent_color } }),
    refresh: ['team'],
    done: color.saved,
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setProblem(undefined)
    await save.mutateAsync(typed === '' ? null : typed).catch((error: Error) => setProblem(showHere(error)))
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label={color.label} hint={color.hint} problem={problem}>
        {(common) => (
          <span className="brand-color">
            <input
              type="color"
              aria-label={color.pick}
              value={/^#[0-9a-f]{6}$/i.test(typed) ? typed : PICKED_WITHOUT}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <input
              {...common}
              {...constraintsOf(rulesOf(UpdateTeam, 'accent_color'))}
              title={color.format}
              value={typed}
              placeholder={color.placeholder}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setTyped(event.currentTarget.value.trim())}
            />
          </span>
        )}
      </Field>
      <div className="actions">
        <Button type="submit" isBusy={save.isPending}>
          {color.save}
        </Button>
      </div>
    </form>
  )
}
