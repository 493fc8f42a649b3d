import type { FirstMail } from './first-mail.ts'
import { type Intercepted, interceptJava } from './intercept.ts'

/** A program and its words. */
export type Command = readonly [string, ...string[]]

export interface Framework {
  readonly name: string
  readonly command: Command
  /** Succeeds where the framework is installed; for one that not every machine with the language has. */
  readonly needs?: Command
  /** It has no way to give a mail tags. */
  readonly withoutTags?: true
  /** What its mailer does not pass on, for its readers. */
  readonly note?: string
}

export interface Language {
  readonly name: string
  /** What the SDK is called where the language keeps its packages. */
  readonly package: string
  /** What must be on the machine. */
  readonly tools: readonly string[]
  /** The file that pins the versions: what was installed for it is used again. */
  readonly pins: string
  readonly install: readonly Command[]
  readonly build?: readonly Command[]
  readonly trial: Command
  /** The program that docs/languages.md prints. */
  readonly firstMail?: FirstMail
  /** What sends mail through the SDK, the API or SMTP, each by a program of its own. */
  readonly frameworks?: readonly Framework[]
  /** For an SDK that cannot be told at all. */
  readonly intercept?: (url: string, folder: string) => Promise<Intercepted>
}

const PYTHON = './venv/bin/python'

const LIBS = ['-pa', 'libs/*/ebin'] as const

/** Where a registry cannot be reached everywhere: a script that takes the packages from there or from sources on this machine. */
const BY_SCRIPT = { pins: 'install.sh', install: [['sh', 'install.sh']] } as const

const phpClass = (name: string): Command => [
  'php',
  '-r',
  `require 'vendor/autoload.php'; new ReflectionClass('${name}');`,
]

/** Each has a folder of its name here, with its programs and the versions they are tried with. */
export const LANGUAGES: Record<string, Language> = {
  python: {
    name: 'Python',
    package: 'resend',
    tools: ['python3'],
    pins: 'requirements.txt',
    install: [
      ['python3', '-m', 'venv', '--clear', 'venv'],
      [PYTHON, '-m', 'pip', 'install', '--quiet', '-r', 'requirements.txt'],
    ],
    trial: [PYTHON, 'trial.py'],
    firstMail: { file: 'first_mail.py', command: [PYTHON, 'first_mail.py'] },
    frameworks: [
      {
        name: 'django-anymail',
        command: [PYTHON, 'framework.py'],
        note: 'Its own `tags` and `metadata` become headers; `esp_extra` gives tags of the API.',
      },
    ],
  },
  go: {
    name: 'Go',
    package: 'github.com/resend/resend-go/v3',
    tools: ['go'],
    pins: 'go.sum',
    install: [['go', 'mod', 'download']],
    build: [['go', 'build', '-o', 'trial', '.']],
    trial: ['./trial'],
    firstMail: { file: 'first-mail/main.go', command: ['go', 'run', './first-mail'] },
  },
  rust: {
    name: 'Rust',
    package: 'resend-rs',
    tools: ['cargo'],
    pins: 'Cargo.toml',
    install: [['cargo', 'fetch', '--quiet']],
    build: [['cargo', 'build', '--quiet', '--locked']],
    trial: ['./target/debug/trial'],
    firstMail: {
      file: 'first-mail/src/main.rs',
      build: ['cargo', 'build', '--quiet', '--manifest-path', 'first-mail/Cargo.toml'],
      command: ['./first-mail/target/debug/first-mail'],
    },
  },
  php: {
    name: 'PHP',
    package: 'resend/resend-php',
    tools: ['php', 'composer'],
    ...BY_SCRIPT,
    trial: ['php', 'trial.php'],
    firstMail: {
      file: 'first_mail.php',
      command: ['php', '-r', "require 'vendor/autoload.php'; eval(file_get_contents('first_mail.php'));"],
    },
    frameworks: [
      {
        name: 'Laravel',
        needs: phpClass('Illuminate\\Foundation\\Application'),
        command: ['php', 'framework.php'],
        withoutTags: true,
        note: 'Its own transport, with `resend/resend-php`. Tags, metadata and `Resend-Idempotency-Key` become headers of the mail; embedded pictures arrive as attachments.',
      },
      {
        name: 'resend-laravel',
        needs: phpClass('Resend\\Laravel\\ResendServiceProvider'),
        command: ['php', 'framework.php', 'package'],
        note: 'In Laravel 11.56.0. Metadata become tags; tags become headers.',
      },
    ],
  },
  ruby: {
    name: 'Ruby',
    package: 'resend',
    tools: ['ruby', 'gem'],
    ...BY_SCRIPT,
    trial: ['ruby', '-r', './load', 'trial.rb'],
    firstMail: { file: 'first_mail.rb', command: ['ruby', '-r', './load', 'first_mail.rb'] },
    frameworks: [
      {
        name: 'Rails Action Mailer',
        needs: ['ruby', '-r', './load', '-e', 'require "logger"; require "rails"; require "action_mailer/railtie"'],
        command: ['ruby', '-r', './load', 'framework.rb'],
        note: 'The delivery method of the SDK for Ruby. `scheduled_at` becomes a header and the mail leaves at once; names of recipients are left out.',
      },
    ],
  },
  elixir: {
    name: 'Elixir',
    package: 'resend',
    tools: ['elixir', 'mix'],
    pins: 'mix.exs',
    install: BY_SCRIPT.install,
    trial: ['elixir', ...LIBS, 'trial.exs'],
    frameworks: [
      {
        name: 'Swoosh',
        command: ['elixir', ...LIBS, 'framework.exs'],
        withoutTags: true,
        note: 'The adapter of the SDK for Elixir, also of 0.4.5. It passes on no tags, and no names of recipients.',
      },
    ],
  },
  java: {
    name: 'Java',
    package: 'com.resend:resend-java',
    tools: ['javac', 'mvn'],
    pins: 'pom.xml',
    install: [['mvn', '--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=lib']],
    build: [['javac', '-cp', 'lib/*', '-d', 'classes', 'Checker.java', 'Trial.java', 'Framework.java']],
    trial: ['java', '-cp', 'classes:lib/*', 'Trial'],
    firstMail: { file: 'FirstMail.java', command: ['java', '-cp', 'lib/*', 'FirstMail.java'] },
    frameworks: [
      {
        name: 'Spring JavaMailSender',
        command: ['java', '-cp', 'classes:lib/*', 'Framework'],
        withoutTags: true,
        note: 'By SMTP, which has no tags.',
      },
    ],
    intercept: interceptJava,
  },
}

/** Languages with an official SDK and without a trial of it, and why. */
export const UNTRIED: Record<string, { readonly name: string; readonly package: string; readonly why: string }> = {
  dotnet: { name: '.NET', package: 'Resend', why: 'needs .NET' },
}

export const CATALOGUE = {
  untried: Object.values(UNTRIED),
  packages: Object.fromEntries(Object.values(LANGUAGES).map((one) => [one.name, one.package])),
  notes: Object.fromEntries(
    Object.values(LANGUAGES).flatMap(({ frameworks }) => (frameworks ?? []).map(({ name, note = '' }) => [name, note])),
  ),
}
