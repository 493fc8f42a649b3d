package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"github.com/resend/resend-go/v3"
)

const contextSuffix = "WithContext"

// checker calls methods of the client by name and prints one line of JSON for each call.
type checker struct {
	client *resend.Client
	suffix string
}

// reply is what a method gave, by the names of the wire.
type reply map[string]any

// methods are all that the services of the client have, as reflection shows them: a new one cannot be missed.
func (sdk *checker) methods() []string {
	names := methodsOf(reflect.ValueOf(sdk.client).Elem(), "")
	sort.Strings(names)
	return names
}

func methodsOf(part reflect.Value, path string) []string {
	var names []string
	for i := 0; i < part.NumField(); i++ {
		field, value := part.Type().Field(i), part.Field(i)
		if !field.IsExported() {
			continue
		}
		if value.Kind() == reflect.Interface {
			value = value.Elem()
		}
		if value.Kind() != reflect.Pointer || !strings.HasSuffix(value.Type().Elem().Name(), "SvcImpl") {
			continue
		}
		for j := 0; j < value.NumMethod(); j++ {
			names = append(names, path+field.Name+"."+value.Type().Method(j).Name)
		}
		names = append(names, methodsOf(value.Elem(), path+field.Name+".")...)
	}
	return names
}

// call must succeed, and its reply must be as expected; nothing is expected of a reply where expect is nil.
func (sdk *checker) call(expect func(reply) bool, method string, words ...any) reply {
	name, found, err := sdk.invoke(method, words)
	switch {
	case err != nil:
		sdk.say(name, err.Error())
	case expect != nil && !holds(expect, found):
		text, _ := json.Marshal(found)
		sdk.say(name, "unexpected reply: "+string(text))
	default:
		sdk.say(name, "")
	}
	return found
}

// refuse must fail with this message.
func (sdk *checker) refuse(message string, method string, words ...any) {
	name, _, err := sdk.invoke(method, words)
	switch {
	case err == nil:
		sdk.say(name, "not refused")
	case !strings.Contains(err.Error(), message):
		sdk.say(name, err.Error())
	default:
		sdk.say(name, "")
	}
}

func holds(expect func(reply) bool, found reply) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return expect(found)
}

func (sdk *checker) invoke(method string, words []any) (string, reply, error) {
	steps := strings.Split(method, ".")
	at := reflect.ValueOf(sdk.client)
	for _, step := range steps[:len(steps)-1] {
		at = at.Elem().FieldByName(step)
		if at.Kind() == reflect.Interface {
			at = at.Elem()
		}
	}
	last := steps[len(steps)-1]
	var in []reflect.Value
	if sdk.suffix != "" && at.MethodByName(last+sdk.suffix).IsValid() {
		last, method = last+sdk.suffix, method+sdk.suffix
	}
	if strings.HasSuffix(last, contextSuffix) || strings.HasSuffix(last, "WithOptions") {
		in = append(in, reflect.ValueOf(context.Background()))
	}
	for _, word := range words {
		in = append(in, reflect.ValueOf(word))
	}
	target := at.MethodByName(last)
	if !target.IsValid() {
		return method, nil, fmt.Errorf("no such method")
	}
	out := target.Call(in)
	if err, isError := out[len(out)-1].Interface().(error); isError {
		return method, nil, err
	}
	if len(out) == 1 {
		return method, nil, nil
	}
	text, err := json.Marshal(out[0].Interface())
	if err != nil {
		return method, nil, err
	}
	found := reply{}
	if json.Unmarshal(text, &found) != nil {
		found = reply{"value": out[0].Interface()}
	}
	return method, found, nil
}

func (sdk *checker) say(method, detail string) {
	line := map[string]any{"method": method, "ok": detail == ""}
	if detail != "" {
		line["detail"] = detail
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func (found reply) text(name string) string {
	value, _ := found[name].(string)
	return value
}

func (found reply) data() []any {
	data, _ := found["data"].([]any)
	return data
}

func (found reply) first() reply {
	if len(found.data()) == 0 {
		return reply{}
	}
	return found.data()[0].(map[string]any)
}

// has: the fields, name after value.
func has(fields ...any) func(reply) bool {
	return func(found reply) bool {
		for i := 0; i < len(fields); i += 2 {
			if !reflect.DeepEqual(found[fields[i].(string)], fields[i+1]) {
				return false
			}
		}
		return true
	}
}

func lists(id string) func(reply) bool {
	return func(found reply) bool {
		for _, one := range found.data() {
			if one.(map[string]any)["id"] == id {
				return true
			}
		}
		return false
	}
}

func count(number int) func(reply) bool {
	return func(found reply) bool { return len(found.data()) == number }
}
