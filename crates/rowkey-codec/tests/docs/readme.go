package main

// EXAMPLE

func main() {
	ranges, err := use(keys.Event{User: "ada", At: 1})
	if err != nil || len(ranges) != 1 {
		panic(err)
	}
}
