<?php

// Calls methods of the SDK by name and prints one line of JSON for each call.

/** Every public method that asks the service, as PHP shows them: a new one cannot be missed. */
function methods(): array
{
    $factory = new ReflectionClass(Resend\Service\ServiceFactory::class);
    $found = [];
    foreach ($factory->getStaticPropertyValue('classMap') as $name => $class) {
        array_push($found, ...methodsOf($class, $name));
    }
    sort($found);
    return $found;
}

function methodsOf(string $class, string $path): array
{
    $part = new ReflectionClass($class);
    $found = [];
    foreach ($part->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if (! $method->isConstructor() && $method->class === $class) {
            $found[] = "$path.{$method->name}";
        }
    }
    foreach ($part->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
        array_push($found, ...methodsOf($property->getType()->getName(), "$path.{$property->name}"));
    }
    return $found;
}

function say(string $method, ?string $detail): void
{
    $line = ['method' => $method, 'ok' => $detail === null];
    echo json_encode($detail === null ? $line : $line + ['detail' => substr($detail, 0, 500)], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}

function ask(string $method, array $words): mixed
{
    $path = explode('.', $method);
    $name = array_pop($path);
    $part = array_reduce($path, fn ($inside, $one) => $inside->$one, $GLOBALS['resend']);
    $reply = $part->$name(...$words);
    return $reply instanceof Resend\Resource ? json_decode(json_encode($reply), true) : $reply;
}

/** A call that must succeed, with what must be true of its reply. */
function call(string $method, array $words = [], ?callable $expect = null): array
{
    try {
        $reply = ask($method, $words);
        say($method, $expect === null || $expect($reply) ? null : 'unexpected reply: '.json_encode($reply));
        return is_array($reply) ? $reply : [];
    } catch (Throwable $error) {
        say($method, $error::class.': '.$error->getMessage());
        return [];
    }
}

/** A call that must be refused, with this error. */
function refuse(string $method, array $words, string $kind, ?int $code = null): void
{
    try {
        say($method, 'not refused: '.json_encode(ask($method, $words)));
    } catch (Throwable $error) {
        $isRight = $error::class === $kind && ($code === null || $error->getErrorCode() === $code);
        say($method, $isRight ? null : $error::class.': '.$error->getMessage());
    }
}

/** Asks again until there is an answer, half a minute at most. */
function askUntil(callable $ask): mixed
{
    $deadline = microtime(true) + 30;
    while (microtime(true) < $deadline) {
        if ($answer = $ask()) {
            return $answer;
        }
        usleep(50_000);
    }
    return null;
}

function fresh(string $word): string
{
    return $word.'-'.bin2hex(random_bytes(5));
}

function address(string $word): string
{
    return fresh($word).'@example.com';
}

function has(array $fields): callable
{
    return fn ($reply) => array_intersect_key($reply, $fields) == $fields;
}

function lists(?string $id): callable
{
    return fn ($reply) => in_array($id, array_column($reply['data'], 'id'), true);
}
