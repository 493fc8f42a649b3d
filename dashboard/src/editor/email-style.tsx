import { getGlobalContent } from '@react-email/editor/extensions'
import { getPanelTitle, setCurrentTheme, setGlobalCssInjected, useEmailTheming } from '@react-email/editor/plugins'
import type { InspectorNodeContext } from '@react-email/editor/ui'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { ChoiceField } from '../ui/field.tsx'
import { ColorControl, NumberControl, TextControl, toNumber } from './controls.tsx'
import { type DarkColors, DEFAULT_DARK, darkColorsIn, withDarkColors } from './dark-css.ts'
import { texts } from './texts.ts'

type CssProperty = Parameters<InspectorNodeContext['getStyle']>[0]
type Panels = NonNullable<ReturnType<typeof useEmailTheming>>['styles']

interface EmailStyleProps {
  readonly editor: Editor
  readonly hasPreviewText: boolean
  readonly styles: Panels
  readonly onChange: PanelProps['onChange']
}

/** How the whole email looks. */
export const EmailStyle = ({ editor, hasPreviewText, styles, onChange }: EmailStyleProps) => (
  <>
    <Theme editor={editor} />
    {hasPreviewText && <PreviewText editor={editor} />}
    {styles
      .filter(({ inputs }) => inputs.length > 0)
      .map((group) => (
        <Panel key={group.id ?? group.title} group={group} onChange={onChange} />
      ))}
    <DarkMode editor={editor} />
  </>
)

const THEMES = [
  { value: 'basic', label: texts.emailStyle.theme.basic },
  { value: 'minimal', label: texts.emailStyle.theme.minimal },
]

function Theme({ editor }: { editor: Editor }) {
  const theming = useEmailTheming(editor)
  if (!theming) return null
  return (
    <ChoiceField
      label={texts.emailStyle.theme.label}
      options={THEMES}
      value={theming.theme}
      onChange={(theme) => setCurrentTheme(editor, theme as typeof theming.theme)}
    />
  )
}

/** Of a template. A broadcast has a field of its own. */
function PreviewText({ editor }: { editor: Editor }) {
  const text = useEditorState({ editor, selector: ({ editor: now }) => getGlobalContent('preview', now) })
  return (
    <TextControl
      label={texts.emailStyle.previewText.label}
      hint={texts.emailStyle.previewText.hint}
      value={typeof text === 'string' ? text : ''}
      onChange={(next) => editor.commands.setGlobalContent('preview', next)}
    />
  )
}

interface PanelProps {
  readonly group: Panels[number]
  readonly onChange: (
    component: NonNullable<Panels[number]['classReference']>,
    property: CssProperty,
    value: unknown,
  ) => void
}

/** One part of the theme: what all links, all buttons… of this email look like. */
function Panel({ group, onChange }: PanelProps) {
  const title = getPanelTitle(group)
  return (
    <details className="inspector-group" open={group.id === 'body' || group.id === 'container'}>
      <summary>{title}</summary>
      <fieldset>
        <legend className="hidden">{title}</legend>
        {group.inputs.map(({ label, type, value, prop, classReference, unit, options }) => {
          const change = (next: unknown) => onChange(classReference ?? group.classReference!, prop, next)
          const name = sentenceCase(label)
          if (type === 'color')
            return <ColorControl key={prop} label={name} value={String(value ?? '')} onChange={change} />
          if (type === 'number')
            return <NumberControl key={prop} label={name} unit={unit ?? ''} value={toNumber(value)} onChange={change} />
          if (type === 'select')
            return (
              <ChoiceField
                key={prop}
                label={name}
                value={String(value ?? '')}
                options={Object.entries(options ?? {}).map(([one, text]) => ({ value: one, label: text }))}
                onChange={change}
              />
            )
          return <TextControl key={prop} label={name} value={String(value ?? '')} onChange={change} />
        })}
      </fieldset>
    </details>
  )
}

const sentenceCase = (words: string) => words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()

const DARK_FIELDS: readonly (readonly [keyof DarkColors, string])[] = [
  ['background', texts.emailStyle.darkMode.background],
  ['panel', texts.emailStyle.darkMode.body],
  ['text', texts.emailStyle.darkMode.text],
  ['link', texts.emailStyle.darkMode.links],
]

function DarkMode({ editor }: { editor: Editor }) {
  const css = useEmailTheming(editor)?.css ?? ''
  const colors = darkColorsIn(css)
  const put = (next: DarkColors | null) => setGlobalCssInjected(editor, withDarkColors(css, next))
  return (
    <details className="inspector-group" open={colors !== null}>
      <summary>{texts.emailStyle.darkMode.title}</summary>
      <fieldset>
        <legend className="hidden">{texts.emailStyle.darkMode.title}</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={colors !== null}
            onChange={(event) => put(event.currentTarget.checked ? DEFAULT_DARK : null)}
          />
          <span>{texts.emailStyle.darkMode.own}</span>
        </label>
        {colors &&
          DARK_FIELDS.map(([name, label]) => (
            <ColorControl
              key={name}
              label={label}
              value={colors[name]}
              onChange={(color) => put({ ...colors, [name]: color || DEFAULT_DARK[name] })}
            />
          ))}
      </fieldset>
    </details>
  )
}
