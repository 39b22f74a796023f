// An evening by the client that openapi-generator makes of the description.
//
// Started with the address of a server, a token of an owner, and the slug of the club.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"kingscore"
)

func main() {
	server, token, club := os.Args[1], os.Args[2], os.Args[3]
	configuration := kingscore.NewConfiguration()
	configuration.Servers = kingscore.ServerConfigurations{{URL: server}}
	client := kingscore.NewAPIClient(configuration)
	owner := with(token)
	begin := follow(owner, client, 0)
	game := play(client)
	fmt.Printf("%d deals, finished: %t\n", len(game.Entries), game.Result.Finished)
	register(owner, client, club)
	players := walk(func(cursor string) ([]kingscore.Player, kingscore.NullableString) {
		list := client.PeopleAPI.ClubsPlayersList(owner, club).PageSize(2)
		if cursor != "" {
			list = list.Cursor(cursor)
		}
		page := get(list.Execute())
		return page.Results, page.Next
	})
	fmt.Printf("%d players\n", len(players))
	fmt.Printf("%d changes\n", follow(owner, client, begin)-begin)
}

func with(key string) context.Context {
	return context.WithValue(context.Background(), kingscore.ContextAccessToken, key)
}

func check(holds bool, found any) {
	if !holds {
		panic(fmt.Sprint(found))
	}
}

func get[Body any](body Body, _ *http.Response, err error) Body {
	check(err == nil, err)
	return body
}

func problemOf(err error) kingscore.Problem {
	var refusal *kingscore.GenericOpenAPIError
	check(errors.As(err, &refusal), err)
	problem, typed := refusal.Model().(kingscore.Problem)
	check(typed, string(refusal.Body()))
	return problem
}

// Twenty deals of Turkish King: twelve with penalties, eight with trumps.
func deals() []kingscore.Entry {
	counts := kingscore.UnitCounts{Tricks: []int32{4, 3, 3, 3}}
	penalties := map[string]kingscore.UnitCounts{
		"no-tricks":  counts,
		"no-hearts":  {Hearts: []int32{4, 3, 3, 3}},
		"no-men":     {Men: []int32{2, 2, 2, 2}},
		"no-queens":  {Queens: []int32{2, 1, 1, 0}},
		"heart-king": {HeartKing: []int32{0, 0, 1, 0}},
		"last-two":   {LastTwo: []int32{1, 0, 1, 0}},
	}
	var found []kingscore.Entry
	for range 2 {
		for contract, counts := range penalties {
			found = append(found, deal(contract, "", counts))
		}
	}
	for range 2 {
		for _, trump := range []string{"spades", "hearts", "diamonds", "clubs"} {
			found = append(found, deal("trump", trump, counts))
		}
	}
	return found
}

func deal(contract, trump string, counts kingscore.UnitCounts) kingscore.Entry {
	made := kingscore.NewDealEntry("deal")
	made.SetContract(contract)
	made.SetCounts(counts)
	if trump != "" {
		made.SetTrump(trump)
	}
	return kingscore.DealEntryAsEntry(made)
}

// Start a game at an open table, write 20 deals, and be refused twice.
func play(client *kingscore.APIClient) *kingscore.Game {
	ruleset := "turkish-king"
	asked := kingscore.NewNewGameRequest(
		kingscore.StringAsNewGameRequestRuleset(&ruleset),
		[]string{"Ayşe", "Burak", "Cem", "Deniz"},
	)
	game := get(client.GamesAPI.GamesAdd(context.Background()).NewGameRequest(*asked).Execute())
	writer := with(game.Keys.Write)
	for number, entry := range deals() {
		request := kingscore.NewNewEntryRequest(entry)
		request.SetAuthor("Ayşe")
		key := fmt.Sprintf("%s-%d", game.Id, number)
		written := get(client.GamesAPI.GamesEntriesAdd(writer, game.Id).
			IdempotencyKey(key).NewEntryRequest(*request).Execute())
		check(int(written.Revision) == number+1, written.Revision)
	}
	beRefused(writer, client, game.Id)
	return get(client.GamesAPI.GamesRead(writer, game.Id).Execute())
}

// Correct a deal wrongly, then from an old revision.
func beRefused(writer context.Context, client *kingscore.APIClient, id string) {
	correct := func(entry kingscore.Entry, revision int) kingscore.Problem {
		_, _, err := client.GamesAPI.GamesEntriesReplace(writer, id, 0).
			IfMatch(fmt.Sprintf("%q", fmt.Sprint(revision))).
			CorrectionRequest(*kingscore.NewCorrectionRequest(entry)).Execute()
		return problemOf(err)
	}
	wrong := correct(deal("no-tricks", "", kingscore.UnitCounts{Tricks: []int32{14, 0, 0, 0}}), 20)
	check(wrong.Status == 422, wrong)
	check(strings.HasPrefix(wrong.Problems[0].Where, "entry"), wrong)
	late := correct(deals()[0], 3)
	check(late.Code == "changed-meanwhile" && late.GetRevision() == 20, late)
}

// Make a tournament, register players by its link, and read the standings.
func register(owner context.Context, client *kingscore.APIClient, club string) {
	asked := kingscore.NewNewTournamentRequest("By a third client", "2026-12-06", "turkish-king")
	asked.SetPreset("swiss-day")
	made := get(client.TournamentsAPI.ClubsTournamentsAdd(owner, club).
		NewTournamentRequest(*asked).Execute())
	get(client.TournamentsAPI.ClubsTournamentsMove(owner, club, made.Slug).
		MovedRequest(*kingscore.NewMovedRequest("registration")).Execute())
	links := get(client.TournamentsAPI.ClubsTournamentsLinksRead(owner, club, made.Slug).Execute())
	for _, name := range []string{"Ayşe", "Burak", "Cem"} {
		entered := get(client.EntrantsAPI.
			TournamentsRegistrationsAdd(with(links.Register.Key), made.Id).
			OwnEntryRequest(*kingscore.NewOwnEntryRequest(name)).Execute())
		check(entered.Name == name, entered)
	}
	standings := get(client.StandingsAPI.
		ClubsTournamentsStandingsRead(owner, club, made.Slug).Execute())
	check(len(standings.Results) == 3, standings)
}

// Return the rows of all pages of a list.
func walk[Row any](page func(cursor string) ([]Row, kingscore.NullableString)) []Row {
	var rows []Row
	for cursor := ""; ; {
		found, next := page(cursor)
		rows = append(rows, found...)
		if next.Get() == nil {
			return rows
		}
		address, err := url.Parse(*next.Get())
		check(err == nil, err)
		cursor = address.Query().Get("cursor")
	}
}

// Read the feed of changes to its end; return its last number.
func follow(owner context.Context, client *kingscore.APIClient, after int32) int32 {
	for {
		feed := get(client.ChangesAPI.ChangesRead(owner).After(after).PageSize(5).Execute())
		after = feed.Last
		if !feed.More {
			return after
		}
	}
}
