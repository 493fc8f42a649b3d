import Type from 'typebox'
import { Id, nullable, objectOf, oneOf, referenceTo, refusedWith, Timestamp } from '../../kernel/http/shapes.ts'
import { ROLES } from '../people/schema.ts'

export const MAX_TEAM_NAME = 100

/** Unique in the installation. Shown to people in menus and mails, so without anything that is not text. */
export const TeamName = Type.String({
  minLength: 1,
  maxLength: MAX_TEAM_NAME,
  pattern: '^(?! )[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*[^\\s\\u0000-\\u001f\\u007f-\\u009f]$',
  ...refusedWith(
    `Invalid \`name\` field. A team has a name of 1 to ${MAX_TEAM_NAME} characters, without line breaks and without spaces around it.`,
  ),
})

export const MAX_LOGO_BYTES = 512 * 1024
/** Of a logo, in pixels. */
export const MAX_LOGO_SIDE = 2_048

/** It stands in the style sheet of pages that recipients open, so it is nothing but this. */
const AccentColor = Type.Union(
  [
    Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '`#RRGGBB`. The color of pages for recipients.' }),
    Type.Null(),
  ],
  refusedWith('Invalid `accent_color` field. It must be a color such as `#27695a`.'),
)

/** A team as one of its members sees it among theirs. */
export const OwnTeam = Type.Object(
  {
    id: Id,
    name: Type.String(),
    role: oneOf(ROLES),
    created_at: Timestamp,
    suspended_at: nullable(Timestamp),
    delete_at: nullable(Timestamp),
  },
  { title: 'OwnTeam' },
)

export const TeamItem = Type.Object(
  {
    id: Id,
    name: Type.String(),
    hides_content: Type.Boolean({ description: 'Viewers cannot read the content of messages.' }),
    accent_color: AccentColor,
    logo_image_id: nullable(Id),
    created_at: Timestamp,
    suspended_at: nullable(Timestamp),
    suspended_reason: nullable(Type.String()),
    delete_at: nullable(Timestamp),
  },
  { title: 'Team' },
)

export const Team = objectOf(
  'team',
  Type.Object(
    { ...TeamItem.properties, logo_url: nullable(Type.String({ description: 'Public.' })) },
    { title: 'Team' },
  ),
)

export const CreateTeam = Type.Object({ name: TeamName }, { title: 'CreateTeam' })

export const UpdateTeam = Type.Object(
  {
    name: Type.Optional(TeamName),
    hides_content: Type.Optional(Type.Boolean()),
    accent_color: Type.Optional(AccentColor),
    logo_image_id: Type.Optional(
      nullable(
        Type.String({
          ...Id,
          description: `An image of the team (\`POST /editor/images\`), up to ${MAX_LOGO_BYTES / 1024} KB and ${MAX_LOGO_SIDE} × ${MAX_LOGO_SIDE} pixels.`,
        }),
      ),
    ),
  },
  { title: 'UpdateTeam' },
)

export const TeamReference = referenceTo('team')

/** Nothing is gone before that time, and until then it can be undone. */
export const TeamToDelete = Type.Object(
  { object: Type.Literal('team'), id: Id, delete_at: Timestamp },
  { title: 'TeamToDelete' },
)
